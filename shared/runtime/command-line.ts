import { exitCodeOf } from './lifecycle.ts'

/** What somebody asked for on a command line cannot be done; the message says what to do instead. */
export class CommandError extends Error {}

type Command = {
  /** Shown for `--help` and after a wrong argument. */
  readonly usage: string
  /** Does what the arguments say, and answers the lines to print. */
  readonly run: (args: string[]) => Promise<readonly string[]>
  /** Tells errors after which trying again may help, besides those that say so themselves. */
  readonly isTransient?: (error: unknown) => boolean
}

/**
 * Runs a command line: its lines to standard output, or its error to standard error.
 *
 * The process's exit code becomes 0 when done, 1 when whoever typed it must act, 75 when trying again may help.
 */
export async function runCommandLine({ usage, run, isTransient }: Command): Promise<void> {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    process.stdout.write(usage)
    return
  }
  try {
    const lines = await run(args)
    process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  } catch (error) {
    process.stderr.write(describe(error, usage))
    process.exitCode = isOfPerson(error) ? 1 : isTransient?.(error) === true ? 75 : exitCodeOf(error)
  }
}

/** Answers the value of an option that must be given. */
export function required(value: string | undefined, option: string): string {
  if (!value) throw new CommandError(`--${option} is missing; see --help`)
  return value
}

/** Lays rows out in columns, the first row being the headings. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function isOfPerson(error: unknown): boolean {
  return error instanceof CommandError || isWrongArgument(error)
}

function describe(error: unknown, usage: string): string {
  const message = error instanceof Error ? error.message : String(error)
  return isWrongArgument(error) ? `${message}\n\n${usage}` : `${message}\n`
}

/** @see https://nodejs.org/docs/latest-v20.x/api/errors.html#err_parse_args_unknown_option */
function isWrongArgument(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS_')
}
