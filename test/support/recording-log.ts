import { createLogger, type Logger } from '../../shared/runtime/logger.ts'

/** Creates a logger whose lines a test can read. */
export function recordingLog(): { log: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => lines.push(JSON.parse(line)) }
  return { log: createLogger({ level: 'trace', service: 'test', destination }), lines }
}
