// What a domain looks like, for every side that reads one: up to six dot-separated lower-case words. Its length is bounded by whoever reads it.

export const DOMAIN_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*){0,5}$/;
