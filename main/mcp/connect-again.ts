// What whoever uses tools is told where its token does not work: it makes no HTTP requests.
export const CONNECT_AGAIN = 'Connect the agent again: "axon agents connect NAME".';
