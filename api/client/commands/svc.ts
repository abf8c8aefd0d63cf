import { readClientConfig } from '../../../shared/runtime/command-config.ts'
import { CommandError, runCommandLine } from '../../../shared/runtime/command-line.ts'
import { ConfigError } from '../../../shared/runtime/config-error.ts'
import { ApiError } from '../api-error.ts'
import { createApiClient } from '../client.ts'
import { authorizeCharge } from './authorize-charge.ts'
import { createCharge } from './create-charge.ts'
import { EXIT_USAGE } from './exit-usage.ts'
import { exportAccounting } from './export-accounting.ts'
import { getCharge } from './get-charge.ts'
import { getEvidence } from './get-evidence.ts'
import { listCharges } from './list-charges.ts'
import { listen } from './listen.ts'
import { quoteCharge } from './quote-charge.ts'
import { refundCharge } from './refund-charge.ts'
import type { LocalCommand, SvcCommand } from './svc-command.ts'
import { triggerCharge } from './trigger-charge.ts'
import { watchCharge } from './watch-charge.ts'

const USAGE = `Calls the API from a shell.

  svc listen --forward-to URL     forward every webhook event, signed, to a local receiver
  svc charges create …            create a charge
  svc charges get ID              print a charge as JSON
  svc charges evidence ID         print proofs of a charge's payments and distributions as JSON
  svc charges list …              list charges, newest first
  svc charges quote ID …          quote the remaining amount in another asset, paid by a swap
  svc charges authorize ID …      pay a charge by a signature of a local key, without gas
  svc charges refund ID …         declare a refund, and print the transfer that your wallet must send
  svc charges watch ID            follow a charge until it is settled or has ended
  svc accounting export …         export the books of a period to a file
  svc sandbox trigger ID EVENT    simulate an event of a test charge, without a chain
  svc exit …                      pay out the charges whose records you kept, without the service

In a checkout of the service, svc is "npm run svc --"; with the installed package, "npx svc".
Each command has its own --help. SVC_API_KEY must be an API key, SVC_API_URL the service's address (default
http://127.0.0.1:3000). Exit codes: 0 success, 1 invalid input or rejected, 2 the charge ended without success, 75 retry later.
`

const COMMANDS: Readonly<Record<string, SvcCommand | LocalCommand>> = {
  listen,
  'charges create': createCharge,
  'charges get': getCharge,
  'charges evidence': getEvidence,
  'charges list': listCharges,
  'charges quote': quoteCharge,
  'charges authorize': authorizeCharge,
  'charges refund': refundCharge,
  'charges watch': watchCharge,
  'accounting export': exportAccounting,
  'sandbox trigger': triggerCharge,
  // The command is loaded only when it runs, because it imports the code that signs and sends on every chain family.
  exit: {
    usage: EXIT_USAGE,
    runLocally: async (options) => (await import('./exit.ts')).exit(options),
  },
}

/** Next steps by error code. Declared before the top-level call that uses them. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  missing_api_key: 'Set SVC_API_KEY to an API key.',
  invalid_api_key: 'Set SVC_API_KEY to a key of this service; npm run keys issues keys.',
  insufficient_scope: 'Use a key that has this scope; npm run keys issues keys.',
  forbidden: 'The sandbox accepts only test keys: set SVC_API_KEY to a key that starts with svc_test_.',
  charge_not_found: 'The charge must belong to the organization and environment of SVC_API_KEY.',
  token_not_supported:
    'GET /v1/networks lists the available pairs. The swapAlternatives of a charge list the assets that can be swapped.',
}

const { command, args } = findCommand(process.argv.slice(2))

await runCommandLine({
  usage: command?.usage ?? USAGE,
  run: () => (command === undefined ? rejectCommand(args) : runCommand(command)),
  isTransient: (error) => !(error instanceof ApiError) || error.isTransient,
})

function findCommand(typed: string[]): { command: SvcCommand | LocalCommand | undefined; args: string[] } {
  for (const words of [1, 2]) {
    const found = COMMANDS[typed.slice(0, words).join(' ')]
    if (found !== undefined) return { command: found, args: typed.slice(words) }
  }
  return { command: undefined, args: typed }
}

async function runCommand(found: SvcCommand | LocalCommand): Promise<readonly string[]> {
  if ('runLocally' in found) return found.runLocally(args)
  const config = readClientConfig()
  try {
    return await found.run(createApiClient(config), args)
  } catch (error) {
    throw explain(error, config.apiUrl)
  }
}

function rejectCommand(typed: readonly string[]): never {
  const given = typed.length === 0 ? 'an empty line' : JSON.stringify(typed.join(' '))
  throw new CommandError(
    `${given} is not a command; svc supports ${Object.keys(COMMANDS).join(', ')}; see --help`,
  )
}

/** Adds the next step to an error, if there is one. */
function explain(error: unknown, apiUrl: string): unknown {
  if (error instanceof ConfigError || error instanceof CommandError) return error
  if (error instanceof TypeError && error.cause instanceof Error) {
    return new Error(`the service does not respond at ${apiUrl} (${error.cause.message}); check SVC_API_URL`)
  }
  if (!(error instanceof ApiError)) return error
  const next = NEXT_STEPS[error.code ?? '']
  const param = error.param === null ? '' : ` (${error.param})`
  const text = `${error.code ?? error.status}: ${error.message}${param}${next === undefined ? '' : `\n${next}`}`
  return error.isTransient ? new Error(`${text}\nRetry later.`) : new CommandError(text)
}
