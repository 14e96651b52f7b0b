// Every number that bounds the QUIC adapter, with what it bounds and what happens beyond it.
// Nothing here may import anything.

/** ALPN of PROTOCOL.md, Connection: any other protocol is closed with a TLS alert. */
export const APPLICATION_PROTOCOL = 'axon/1';

/**
 * Length of every connection id this endpoint issues; short headers of another length belong to
 * nobody here.
 */
export const CONNECTION_ID_LENGTH_BYTES = 16;
/**
 * RFC 9000, Section 7.2: a client's first destination id is at least this long; shorter ones are
 * dropped.
 */
export const FIRST_CONNECTION_ID_MIN_BYTES = 8;
/** RFC 9000: no connection id is longer; such packets are dropped. */
export const CONNECTION_ID_MAX_BYTES = 20;
/**
 * RFC 9000, Section 14.1: a client's Initial fills at least this; smaller ones are dropped before
 * any state.
 */
export const INITIAL_DATAGRAM_MIN_BYTES = 1_200;
/** What we put into one datagram: fits every path QUIC may use, tunnels included. */
export const DATAGRAM_SEND_MAX_BYTES = 1_200;
/**
 * The largest UDP payload a peer may send, and is told so: what an Ethernet carries. A larger one
 * is dropped unread: a datagram of 60 kB can hold one acknowledgement in 30,000 pieces, which costs
 * the library milliseconds, and a stranger can make it before any handshake.
 */
export const DATAGRAM_RECEIVE_MAX_BYTES = 1_500;

/**
 * Retries, whoever asks: they cost some microseconds, keep nothing and are smaller than what they
 * answer. There is no such limit for each source, since the address is not proved: whoever writes
 * another's on his packets would use up what that one may have.
 */
export const RETRIES = { burst: 4_000, perMinute: 240_000 } as const;
/** Initials with a valid token that an address may send; the rest is dropped. */
export const INITIALS_OF_ADDRESS = { burst: 40, perMinute: 1_200 } as const;
/** The same for all addresses of one IPv6 network together. */
export const INITIALS_OF_NETWORK = { burst: 320, perMinute: 9_600 } as const;
/** Handshakes of strangers in progress, in all; beyond it the oldest is dropped. */
export const HALF_OPEN_MAX = 64;
/** Handshakes in progress from one source; beyond it that source's oldest is dropped. */
export const HALF_OPEN_PER_SOURCE_MAX = 8;
/** How long a handshake may take once its Retry token was shown; then it is dropped. */
export const HANDSHAKE_LIMIT_MS = 5_000;
/** How long a Retry token may be shown after it was made. */
export const RETRY_TOKEN_LIFETIME_MS = 10_000;
/** How long one key makes Retry tokens; the one before it is still accepted. */
export const RETRY_KEY_LIFETIME_MS = 60_000;

/**
 * Addresses one connection may have been seen at. The native library frees none of them, so this is
 * how often a NAT may move a peer; after that the connection falls silent and is dialled anew. Its
 * own default is 2: the second move ended the connection.
 */
export const PATHS_MAX = 64;

/** How long a dial may take; then it fails with `timeout`. */
export const CONNECT_LIMIT_MS = 10_000;
/** Dials in flight; beyond it a dial fails with `busy`. */
export const DIALS_IN_FLIGHT_MAX = 16;

/** QUIC idle timeout: the transport's own last word, later than ours. */
export const IDLE_TIMEOUT_MS = 60_000;
/** Silence after which the peer is asked for a sign of life. */
export const PING_AFTER_SILENCE_MS = 8_000;
/** Pings wait for the next multiple of this, so that those of many peers wake the process once. */
export const PING_GRID_MS = 1_000;
/** Silence after which the connection counts as lost. */
export const LOST_AFTER_SILENCE_MS = 18_000;
/**
 * The same when something says, without proof, that the peer has lost the connection: it was asked
 * at once.
 */
export const LOST_AFTER_CHECK_MS = 4_000;
/**
 * On a slow path it takes this many round trips: six probe timeouts (RFC 9002, Section 6.2), whose
 * variation is taken for half a round trip. Three are shorter than what a lossy line needs to
 * answer one ping.
 */
export const LOST_AFTER_CHECK_ROUND_TRIPS = 18;
/** How often the peer is asked again during such a check. */
export const CHECK_PING_INTERVAL_MS = 1_000;

/**
 * A timer that is late by this much tells that this process stood still: a suspended computer, a
 * stopped process.
 */
export const STANDSTILL_MIN_MS = 1_000;
/**
 * For so long after that the datagrams that lie in the socket are read; only then is it judged who
 * fell silent.
 */
export const READ_FIRST_MS = 200;

/** Unread bytes a peer may have on a connection before it must wait. */
export const CONNECTION_WINDOW_BYTES = 256 * 1024;
/** The most that automatic tuning may make of the connection window. */
export const CONNECTION_WINDOW_MAX_BYTES = 512 * 1024;
/** Unread bytes a peer may have on a stream: a whole message fits. */
export const STREAM_WINDOW_BYTES = 72 * 1024;
/** The most that automatic tuning may make of a stream's window. */
export const STREAM_WINDOW_MAX_BYTES = 128 * 1024;
/** Streams a peer may have open at once, of each type; it queues beyond that. */
export const STREAMS_OPEN_MAX = 128;

/**
 * The longest message (PROTOCOL.md, Streams); a longer one is reset with `overLimit` and reported.
 */
export const MESSAGE_SIZE_MAX_BYTES = 65_536;
/**
 * Once its first byte has come, a half of a stream brings at least `STREAM_PACE_MIN_BYTES` in every
 * period of this length until it ends, else it is reset with `tooSlow`. A line that loses every
 * fifth datagram stands still for seconds: a shorter period blames peers for their line.
 */
export const STREAM_PACE_PERIOD_MS = 7_000;
export const STREAM_PACE_MIN_BYTES = 4_096;
/**
 * However well it keeps the pace, a half of a stream ends within this time after its first byte,
 * else it is reset with `tooSlow`.
 */
export const STREAM_LIFETIME_MAX_MS = 60_000;
/**
 * Between one reading of streams and the next there is no more than this, else this side stood
 * still or paused. None of that time counts against a stream: what its peer sent may lie unread. It
 * is longer than STREAM_JUDGE_INTERVAL_MS and whatever a busy computer adds to that.
 */
export const READING_GAP_MAX_MS = 1_500;
/** How often unfinished streams are judged. */
export const STREAM_JUDGE_INTERVAL_MS = 500;
/**
 * Room for unfinished messages over all connections, filled or not; a stream that would exceed it
 * is reset with `overLimit`.
 */
export const UNFINISHED_MAX_BYTES = 64 * 1024 * 1024;

/** Messages waiting for stream credit on one connection; the next one fails with `overloaded`. */
export const QUEUED_MESSAGES_MAX = 1_024;
/** Bytes of those messages; beyond it the next one fails with `overloaded`. */
export const QUEUED_BYTES_MAX = 16 * 1024 * 1024;
/** How long a one-way message may wait for credit; then it fails with `timeout`. */
export const SEND_LIMIT_MS = 10_000;

/**
 * How long a message may take to leave on its stream; then the connection is closed, and dialled
 * anew: its credit may be gone for good.
 */
export const MESSAGE_LEAVE_LIMIT_MS = 30_000;

/** Connections in all; a paired hub takes the place of a stranger, a stranger is refused. */
export const CONNECTIONS_MAX = 128;
/** Connections of hubs that are not paired; the next one is closed with `overLimit`. */
export const QUARANTINED_CONNECTIONS_MAX = 16;
/**
 * When all of these are taken, an incoming one that has no pairing under way gives its place to the
 * next stranger after this long: enough to say hello and to offer, too short to keep a family's hub
 * out.
 */
export const STRANGER_PLACE_KEPT_MS = 10_000;
/** Connections of one key; a third replaces the oldest, which is closed with `duplicate`. */
export const CONNECTIONS_PER_KEY_MAX = 2;
/**
 * Streams a hub that is not paired may have open; one more closes its connection with `overLimit`.
 */
export const QUARANTINED_STREAMS_MAX = 4;
/**
 * Bytes of datagrams that can be decrypted and that a connection may bring in all while its key is
 * not paired. Beyond it the connection is closed with `overLimit`, and nothing of it is read any
 * more. The native library bounds neither a TLS stream with holes nor the answers it owes, so this
 * does.
 */
export const QUARANTINED_RECEIVED_MAX_BYTES = 1024 * 1024;
/**
 * The same until its handshake is done, which takes a tenth of it; whatever is sent again on a line
 * that loses every fifth datagram fits.
 */
export const HANDSHAKE_RECEIVED_MAX_BYTES = 48 * 1024;
/** The largest certificate that is looked at (PROTOCOL.md, Connection); a larger one is refused. */
export const CERTIFICATE_SIZE_MAX_BYTES = 4 * 1024;

/**
 * Asked of the kernel for the socket, each way: the default drops bursts of some hundred datagrams.
 */
export const SOCKET_BUFFER_BYTES = 4 * 1024 * 1024;
/**
 * Datagrams a connection sends in one go before others get their turn; more overrun the receiver's
 * socket.
 */
export const BURST_MAX_DATAGRAMS = 60;
/**
 * What a connection that is over may still send at once: its close in each of its encryptions, and
 * room to spare.
 */
export const LAST_WORDS_MAX_DATAGRAMS = 8;
/** How long an acknowledgement that travels alone may wait for company. */
export const ACK_DEFER_MS = 2;
/**
 * What peers are told of that wait: they take a packet for lost that much later, so it is little
 * more than the wait itself.
 */
export const ACK_DELAY_MAX_MS = 5;
/** Packets that may wait for such an acknowledgement. */
export const ACK_DEFER_MAX_PACKETS = 8;
/** A close reason is cut to this. */
export const CLOSE_REASON_MAX_BYTES = 120;

/** How soon the process is asked again for a sign of life while it owes one or is busy. */
export const HEARTBEAT_INTERVAL_MS = 900;
/** The same once it has given one: each question wakes two processes of an idle computer. */
export const HEARTBEAT_CALM_INTERVAL_MS = 2_000;
/** Unanswered heartbeats after which the process is killed and started again. */
export const HEARTBEATS_MISSED_MAX = 3;
/**
 * The process counts as caught in a loop when it hardly ever waits and spends this much processor
 * time for each datagram and frame that it moves: more than ten times what a handshake needs. Both
 * figures hold on a computer that is short of processors.
 */
export const BUSY_LOOP_SHARE_MIN = 0.9;
export const BUSY_PROCESSOR_MIN_MS = 2;
/** Heartbeats in a row that find it so; then it is killed and started again. */
export const BUSY_BEATS_MAX = 4;
/** Resident memory at which the process is killed and started again. */
export const PROCESS_MEMORY_MAX_BYTES = 512 * 1024 * 1024;
/** Waits before a restart: the first, and the longest. */
export const RESTART_FIRST_MS = 100;
export const RESTART_MAX_MS = 10_000;
/** A process that lived this long starts the waits afresh. */
export const RESTART_FORGIVEN_AFTER_MS = 60_000;
/** How long a graceful stop of the process may take; then it is killed. */
export const STOP_LIMIT_MS = 2_000;
/** How long the process may take until it listens; then it is killed. */
export const START_LIMIT_MS = 15_000;

/**
 * The longest frame between the processes; a longer one means a broken channel, and the process
 * ends.
 */
export const FRAME_SIZE_MAX_BYTES = 1024 * 1024;
/** Bytes under way to the QUIC process; beyond it new messages fail with `overloaded`. */
export const CHANNEL_WINDOW_BYTES = 8 * 1024 * 1024;
/** Bytes under way to the hub; beyond it no stream is read, and flow control slows the peers. */
export const DELIVERY_WINDOW_BYTES = 2 * 1024 * 1024;
/**
 * Frames travel in batches of this size, in a buffer that is used again; of those that are free so
 * many are kept.
 */
export const CHANNEL_BATCH_BYTES = 64 * 1024;
export const CHANNEL_BATCHES_KEPT_MAX = 32;
/**
 * Bytes posted to the other process and not received there at which the channel counts as broken:
 * the QUIC process ends then.
 */
export const CHANNEL_UNRECEIVED_MAX_BYTES = 64 * 1024 * 1024;
/**
 * A channel that was written to within this time is busy: what is posted then waits for the end of
 * the loop's turn.
 */
export const CHANNEL_BUSY_MS = 0.05;
/** Bytes after which their receipt is acknowledged to the other process. */
export const CHANNEL_ACKNOWLEDGE_BYTES = 256 * 1024;
/**
 * Requests and one-way messages under way from this process; the next one fails with `overloaded`.
 */
export const CALLS_IN_FLIGHT_MAX = 16_384;
/**
 * A dial that was given up before anything was heard waits this long for a sign of the other side,
 * to tell it so; then it is forgotten. The library asks at 0, 1, 3, 7 and 15 seconds: a dial that
 * ends after CONNECT_LIMIT_MS asks once more within this time.
 */
export const LAST_WORD_LIMIT_MS = 6_000;
