/** Thrown if evidence is malformed or contradicts its proof. The message names the first problem. */
export class EvidenceError extends Error {}

/** @throws {EvidenceError} with the message, if the condition is false */
export function requireCondition(condition: boolean, message: string): asserts condition {
  if (!condition) throw new EvidenceError(message)
}
