// Where a model is asked, and in which of two forms. Pure: it asks nobody.

export interface ModelEndpoint {
  /** As it was written. */
  readonly written: string;
  /** What is posted to. */
  readonly url: string;
  /** openai: chat/completions below /v1. ollama: /api/chat. */
  readonly form: 'openai' | 'ollama';
  /** With its port where it names one. */
  readonly host: string;
  /** It is on this computer, and nothing leaves it. */
  readonly isLoopback: boolean;
}

const LOOPBACK = /^(?:127(?:\.[0-9]{1,3}){3}|localhost|\[::1\])$/;

/** A sentence where it is none. */
export function modelEndpoint(written: string): ModelEndpoint | string {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(written))
    return 'The endpoint is no address such as http://127.0.0.1:11434/v1.';
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return 'The endpoint must be an address alone: a key is given otherwise, and never in a file that is shown.';
  const isLoopback = LOOPBACK.test(url.hostname);
  if (!isLoopback && url.protocol !== 'https:')
    return 'An endpoint on another computer must begin with https://, since what is asked leaves this one.';
  const path = url.pathname.replace(/\/+$/, '');
  const of = (form: ModelEndpoint['form'], end: string): ModelEndpoint => {
    const target = `${url.origin}${end}`;
    return { written, url: target, form, host: url.host, isLoopback };
  };
  if (path.endsWith('/v1')) return of('openai', `${path}/chat/completions`);
  if (path.endsWith('/v1/chat/completions')) return of('openai', path);
  if (path === '' || path === '/api/chat') return of('ollama', '/api/chat');
  return 'The endpoint must end in /v1, for what speaks as OpenAI does, or be the address of Ollama alone.';
}

export function isModelEndpoint(value: ModelEndpoint | string): value is ModelEndpoint {
  return typeof value !== 'string';
}
