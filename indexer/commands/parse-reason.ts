import { CommandError } from '../../shared/runtime/command-line.ts'

/** Long enough for a reason; not meant for a report. */
const MAX_REASON = 1_000

/** @throws {CommandError} if an operator's reason is too long to record */
export function requireReasonLength(reason: string): void {
  if (reason.length > MAX_REASON)
    throw new CommandError(`the reason has ${reason.length} characters: must be at most ${MAX_REASON}`)
}
