import { readClientConfig } from '../../../shared/runtime/command-config.ts'
import { CommandError, runCommandLine } from '../../../shared/runtime/command-line.ts'
import { ConfigError } from '../../../shared/runtime/config-error.ts'
import { ApiError } from '../api-error.ts'
import { createApiClient } from '../client.ts'
import { authorizeCharge } from './authorize-charge.ts'
import { createCharge } from './create-charge.ts'
import { listen } from './listen.ts'
import { quoteCharge } from './quote-charge.ts'
import type { SvcCommand } from './svc-command.ts'
import { triggerCharge } from './trigger-charge.ts'
import { watchCharge } from './watch-charge.ts'

const USAGE = `Works with the API from a shell.

  npm run svc -- listen --forward-to URL     pass every webhook event on to a receiver of yours, signed
  npm run svc -- charges create …            ask for a payment
  npm run svc -- charges quote ID …          what remains of a charge in another asset, through a swap
  npm run svc -- charges authorize ID …      pay a charge by a signature of a local key, without a coin for gas
  npm run svc -- charges watch ID            follow a charge until it is settled or over
  npm run svc -- sandbox trigger ID EVENT    simulate what happens to a test charge, without a chain

Each has its own --help. SVC_API_KEY holds an API key, SVC_API_URL the service's address (http://127.0.0.1:3000
otherwise). Exit codes: 0 done, 1 something to change, 2 the charge ended otherwise, 75 try again later.
`

const COMMANDS: Readonly<Record<string, SvcCommand>> = {
  listen,
  'charges create': createCharge,
  'charges quote': quoteCharge,
  'charges authorize': authorizeCharge,
  'charges watch': watchCharge,
  'sandbox trigger': triggerCharge,
}

/** What to do about a code; above the call, which needs it. */
const NEXT: Readonly<Record<string, string>> = {
  missing_api_key: 'Set SVC_API_KEY to an API key.',
  invalid_api_key: 'Set SVC_API_KEY to a key of this service; npm run keys issues them.',
  insufficient_scope: 'Use a key that has this scope; npm run keys issues them.',
  forbidden: 'The sandbox is for test keys: set SVC_API_KEY to one that begins with svc_test_.',
  charge_not_found: 'The id must be of a charge of the organization and environment of SVC_API_KEY.',
  token_not_supported:
    'GET /v1/networks lists what can be accepted, and swapAlternatives what can be swapped.',
}

const { command, args } = findCommand(process.argv.slice(2))

await runCommandLine({
  usage: command?.usage ?? USAGE,
  run: () => (command === undefined ? refuse(args) : ask(command)),
  isTransient: (error) => !(error instanceof ApiError) || error.isTransient,
})

function findCommand(typed: string[]): { command: SvcCommand | undefined; args: string[] } {
  for (const words of [1, 2]) {
    const found = COMMANDS[typed.slice(0, words).join(' ')]
    if (found !== undefined) return { command: found, args: typed.slice(words) }
  }
  return { command: undefined, args: typed }
}

async function ask({ run }: SvcCommand): Promise<readonly string[]> {
  const config = readClientConfig()
  try {
    return await run(createApiClient(config), args)
  } catch (error) {
    throw explain(error, config.apiUrl)
  }
}

function refuse(typed: readonly string[]): never {
  const asked = typed.length === 0 ? 'nothing' : JSON.stringify(typed.join(' '))
  throw new CommandError(`svc can do ${Object.keys(COMMANDS).join(', ')}, not ${asked}; see --help`)
}

/** Says what to do next, where the error alone does not. */
function explain(error: unknown, apiUrl: string): unknown {
  if (error instanceof ConfigError || error instanceof CommandError) return error
  if (error instanceof TypeError && error.cause instanceof Error) {
    return new Error(`nobody answers at ${apiUrl} (${error.cause.message}); is SVC_API_URL right?`)
  }
  if (!(error instanceof ApiError)) return error
  const next = NEXT[error.code ?? '']
  const param = error.param === null ? '' : ` (${error.param})`
  const text = `${error.code ?? error.status}: ${error.message}${param}${next === undefined ? '' : `\n${next}`}`
  return error.isTransient ? new Error(`${text}\nTry again.`) : new CommandError(text)
}
