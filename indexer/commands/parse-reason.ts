import { CommandError } from '../../shared/runtime/command-line.ts'

/** Maximum characters of a reason. */
const MAX_REASON = 1_000

/**
 * Returns an operator's reason, the value of `--reason`.
 *
 * @throws {CommandError} if it is missing, or too long to record
 */
export function parseReason(command: string, text = ''): string {
  const reason = text.trim()
  if (reason === '') throw new CommandError(`${command} requires a reason: --reason TEXT`)
  if (reason.length <= MAX_REASON) return reason
  throw new CommandError(`the reason has ${reason.length} characters: must have at most ${MAX_REASON}`)
}
