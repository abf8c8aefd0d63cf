/**
 * Thrown if a request must wait, or another worker processes it. This worker then leaves the request as it is. If no
 * node has seen the request's signature yet, this attempt does not show it to any.
 */
export class NotDueError extends Error {}
