import { CommandError } from '../../shared/runtime/command-line.ts'

/** In characters. */
const MAX_REASON = 1_000

/**
 * Returns the value of `--reason`, without surrounding white space.
 *
 * @throws {CommandError} if the reason is missing, or longer than 1,000 characters
 */
export function parseReason(command: string, text = ''): string {
  const reason = text.trim()
  if (reason === '') throw new CommandError(`${command} requires a reason: --reason TEXT`)
  if (reason.length <= MAX_REASON) return reason
  throw new CommandError(`the reason has ${reason.length} characters: must have at most ${MAX_REASON}`)
}
