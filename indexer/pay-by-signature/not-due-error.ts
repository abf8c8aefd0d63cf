/** Thrown if a request must wait, or another worker processes it. The request stays open and gets no response. */
export class NotDueError extends Error {}
