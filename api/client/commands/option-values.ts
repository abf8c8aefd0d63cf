import { NETWORKS, SWAP_TOKENS, TOKENS } from '../../../shared/domain/networks.ts'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import type { Schema } from '../schema.ts'

/** Reads an option that holds a number; whether it is one that will do, the API says. */
export function readNumber(option: string, text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isFinite(number)) return number
  throw new CommandError(`--${option} is ${JSON.stringify(text)}; it must be a number`)
}

/** Reads an option that holds a token on a network, such as `USDC@base`. */
export function readPair(option: string, text: string): Schema<'AcceptedPayment'> {
  return readPlace(TOKENS, { option, text })
}

/** Reads an option that holds what can be swapped on a network, such as `ETH@base`. */
export function readSwapInput(option: string, text: string): Schema<'SwapAlternative'> {
  return readPlace(SWAP_TOKENS, { option, text })
}

function readPlace<Token extends string>(
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
