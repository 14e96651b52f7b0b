// The link that holds a hub's key and address, axon://KEY@host:port, as far as a page looks at it:
// the hub reads it. Pure.

const INVITATION = /^\s*axon:\/\/pair\?/i;
const SHARE_LINK = /^\s*axon:\/\//i;

/** Whether the text is meant as a link: then no key stands beside it. */
export function isShareLink(text: string): boolean {
  return SHARE_LINK.test(text);
}

/** Whether the text is meant as an invitation: a link that holds a secret, too. */
export function isInvitation(text: string): boolean {
  return INVITATION.test(text);
}

/** What stands behind the key: "192.168.1.20:7100". */
export function addressIn(link: string): string {
  return link.slice(link.lastIndexOf('@') + 1);
}

/**
 * A public key as it stands in a link, base64url without padding. @param keyHex as the hub tells
 * it, 64 hexadecimal digits
 */
export function keyInLink(keyHex: string): string {
  const bytes = (keyHex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
