import { type DestinationStream, pino, stdTimeFunctions } from 'pino'

/** What happened, a constant sentence in the past tense; everything that varies is a field, in snake_case. */
type LogEntry = { readonly msg: string; readonly [field: string]: unknown }

/** Writes lines of JSON. */
export type Logger = Readonly<
  Record<'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal', (entry: LogEntry) => void>
> & {
  /** Answers a logger that adds these fields to every line. */
  readonly child: (fields: Readonly<Record<string, unknown>>) => Logger
}

type Options = {
  readonly level: string
  /** Shown in every line: `api` or `indexer`. */
  readonly service: string
  /** Standard output unless a test reads along. */
  readonly destination?: DestinationStream
}

/**
 * Makes the logger of a process.
 *
 * Nothing secret reaches the output, wherever it stands, in the text of an error too: fields named like secrets are
 * replaced, API keys and webhook secrets are cut to their prefix, and of any URL only scheme and host are left,
 * because RPC URLs carry keys in path, query or credentials. A bigint is written as its decimal digits.
 *
 * What others wrote may stand in any text, so each is cut to 2,000 characters before a pattern looks at it, and the
 * patterns are linear: 40 kB of `a+a+a+` in an error of a node's once held the process for 27 s.
 */
export function createLogger({ level, service, destination }: Options): Logger {
  const options = {
    level,
    base: { service },
    timestamp: stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      bindings: (fields: Record<string, unknown>) => cleanFields(fields, 0),
      log: (fields: Record<string, unknown>) => cleanFields(fields, 0),
    },
    hooks: { streamWrite: cutSecrets },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** Deeper values are no longer diagnosis; the bound also ends a cycle. */
const MAX_DEPTH = 6

/** Characters of a text; and of an error's stack, whose frames stand at its end, after the message. */
const MAX_TEXT = 2_000
const MAX_FRAMES = 1_500

/** A cut text ends with a whole word, if one ends so near: half an URL no longer looks like one. */
const MAX_WORD = 500

/** In snake_case and camelCase: `authorization`, `webhookSecret`, `private_key`, `secret_sealed`. */
const SECRET_NAME =
  /(authorization|cookie|password|passphrase|secret|private_?key|api_?key|sealed|raw_?transaction)$/i

function cleanFields(fields: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    SECRET_NAME.test(name) ? '[redacted]' : clean(value, depth + 1),
  ])
  return Object.fromEntries(entries)
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'string') return cutText(value)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (depth > MAX_DEPTH) return '[deep]'
  if (value instanceof Error) return cleanFields(describeError(value), depth)
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1))
  return cleanFields(value as Record<string, unknown>, depth)
}

/** Only what is chosen here: libraries hang whole requests, headers included, on their errors. */
function describeError(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error
  const { code, details } = error as { code?: unknown; details?: unknown }
  return {
    name,
    message,
    stack: stack === undefined || stack.length <= MAX_TEXT ? stack : cutText(stack.slice(-MAX_FRAMES)),
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
    ...(cause !== undefined && { cause }),
  }
}

function cutText(text: string): string {
  if (text.length <= MAX_TEXT) return text
  const space = text.lastIndexOf(' ', MAX_TEXT)
  const kept = text.slice(0, space > MAX_TEXT - MAX_WORD ? space : MAX_TEXT)
  return `${kept}… (${text.length - kept.length} characters left out)`
}

/**
 * Works on the finished line; quotes and backslashes end a match, so the JSON stays whole.
 *
 * An URL is found by its `://` alone: a pattern for the scheme before it begins anew at each boundary of a word, and
 * reads on to the end each time.
 */
function cutSecrets(line: string): string {
  return line
    .replace(/:\/\/(?:[^\s"'\\<>/?#@]*@)?([^\s"'\\<>/?#@,;)]+)[^\s"'\\<>,;)]*/g, '://$1')
    .replace(/\b(svc_(?:live|test)_|whsec_)[A-Za-z0-9+/=]+/g, '$1[redacted]')
}
