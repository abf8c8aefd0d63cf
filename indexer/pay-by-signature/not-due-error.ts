/**
 * Thrown if a request must wait, because another request is first or its time has not come. The request stays
 * unchanged. If no node has seen its signature yet, none sees it before then.
 */
export class NotDueError extends Error {}
