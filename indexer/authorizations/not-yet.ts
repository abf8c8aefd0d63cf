/** It is another one's turn, or not yet its time: a request waits as it is, and no node is shown its signature before. */
export class NotYetError extends Error {}
