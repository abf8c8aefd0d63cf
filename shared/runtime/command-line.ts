import { parseArgs } from 'node:util'
import { getExitCode } from './lifecycle.ts'

/** Thrown if a command cannot be executed as requested. The message must name the remedy. */
export class CommandError extends Error {}

type Command = {
  /** Usage text, printed for `--help` and after an invalid argument. */
  readonly usage: string
  /** Executes the command and returns the lines to print. */
  readonly run: (args: string[]) => Promise<readonly string[]>
  /** Returns whether a retry might help after an error, even if `getExitCode` returns 1 for it. */
  readonly isTransient?: (error: unknown) => boolean
}

/**
 * Runs a command and prints its lines to standard output, or its error to standard error.
 *
 * The process's exit code is 0 on success, 1 if the user must act, and 75 if a retry might help.
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
    process.exitCode = isUserError(error) ? 1 : isTransient?.(error) === true ? 75 : getExitCode(error)
  }
}

/**
 * Parses the arguments of a command.
 *
 * @param options.texts - names of the options with a value
 * @param options.lists - names of the options that have a value and may be repeated
 * @param options.flags - names of the options without a value
 * @param options.allowPositionals - whether arguments other than options are permitted
 * @throws {TypeError} `ERR_PARSE_ARGS_…` from Node; `runCommandLine` then prints the usage
 */
export function parseOptions<Text extends string, List extends string = never, Flag extends string = never>(
  args: string[],
  options: {
    readonly texts?: readonly Text[]
    readonly lists?: readonly List[]
    readonly flags?: readonly Flag[]
    readonly allowPositionals?: boolean
  },
) {
  const { texts = [], lists = [], flags = [], allowPositionals = false } = options
  const parsed = parseArgs({
    ...{ args, allowPositionals },
    options: Object.fromEntries([
      ...texts.map((name) => [name, { type: 'string' }] as const),
      ...lists.map((name) => [name, { type: 'string', multiple: true, default: [] }] as const),
      ...flags.map((name) => [name, { type: 'boolean', default: false }] as const),
    ]),
  })
  type Values = { readonly [Key in Text]?: string } & Readonly<Record<List, readonly string[]>>
  return { ...parsed, values: parsed.values as Values & Readonly<Record<Flag, boolean>> }
}

/** @throws {CommandError} if a required option is missing */
export function required(value: string | undefined, option: string): string {
  if (!value) throw new CommandError(`--${option} is missing; see --help`)
  return value
}

/**
 * Returns the only argument.
 *
 * @param expected - the whole error message if there is not exactly one argument
 */
export function requireOne([value, ...others]: readonly string[], expected: string): string {
  if (value === undefined || others.length > 0) throw new CommandError(expected)
  return value
}

/** Formats rows in columns; the first row contains the headings. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function isUserError(error: unknown): boolean {
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
