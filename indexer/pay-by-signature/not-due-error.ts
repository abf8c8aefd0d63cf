/**
 * Thrown if a request must wait, because another request comes first or its time has not come. The request stays
 * unchanged. A signature that no node has seen yet is not shown to any node before the request's turn.
 */
export class NotDueError extends Error {}
