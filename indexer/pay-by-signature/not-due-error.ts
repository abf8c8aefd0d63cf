/**
 * Thrown if a request must wait, because another request comes first or its time has not come. The request stays
 * unchanged. If no node has seen its signature, no node sees it before the request's turn.
 */
export class NotDueError extends Error {}
