import { parseApiKey } from '../../../shared/domain/api-key.ts'
import { NETWORKS, SWAP_TOKENS, TOKENS } from '../../../shared/domain/networks.ts'
import { readClientConfig } from '../../../shared/runtime/command-config.ts'
import { CommandError, requireOne } from '../../../shared/runtime/command-line.ts'
import type { Schema } from '../schema.ts'

/** Reads the id of a charge, the only positional argument of a command. */
export function readChargeId(command: string, positionals: readonly string[]): string {
  return requireOne(positionals, `${command} requires the id of one charge, ch_…; see --help`)
}

/** Derives the environment from the API key, because the service is not trusted here. */
export function readEnvironment(): Schema<'Environment'> {
  const key = parseApiKey(readClientConfig().apiKey)
  if (key === null) throw new CommandError('SVC_API_KEY is not a key of this service')
  return key.environment
}

/** Reads an option that holds a number. The API validates its range. */
export function readNumber(option: string, text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isFinite(number)) return number
  throw new CommandError(`--${option} is ${JSON.stringify(text)}; it must be a number`)
}

/** Reads an option that holds a token on a network, such as `USDC@base`. */
export function readPair(option: string, text: string): Schema<'AcceptedPayment'> {
  return readTokenAtNetwork(TOKENS, { option, text })
}

/** Reads an option that holds a swap input on a network, such as `ETH@base`. */
export function readSwapInput(option: string, text: string): Schema<'SwapAlternative'> {
  return readTokenAtNetwork(SWAP_TOKENS, { option, text })
}

function readTokenAtNetwork<Token extends string>(
  tokens: readonly Token[],
  { option, text }: { readonly option: string; readonly text: string },
) {
  const [tokenText, networkText] = text.split('@')
  const token = tokens.find((known) => known === tokenText)
  const network = NETWORKS.find((known) => known === networkText)
  if (token !== undefined && network !== undefined) return { token, network }
  throw new CommandError(
    `--${option} is ${JSON.stringify(text)}; it must be one of ${tokens.join(', ')}, then @ and one of ${NETWORKS.join(', ')}`,
  )
}
