/** Thrown if evidence is invalid or differs from the proof. The message names the first problem. */
export class EvidenceError extends Error {}

/** @throws {EvidenceError} with the message, unless the condition holds */
export function requireCondition(condition: boolean, message: string): asserts condition {
  if (!condition) throw new EvidenceError(message)
}
