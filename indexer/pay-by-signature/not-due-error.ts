/**
 * The request must wait, because another request is first or its time has not come. It stays unchanged, and no node
 * sees its signature before then.
 */
export class NotDueError extends Error {}
