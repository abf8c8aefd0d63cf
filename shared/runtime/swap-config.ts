import type { Static } from '@sinclair/typebox'
import { type Address, parseEvmAddress } from '../domain/address.ts'
import { invariant } from '../domain/errors.ts'
import { SWAP_PROVIDERS, type SwapProviderName } from '../domain/swap-providers.ts'
import type { Environ } from './read-settings.ts'
import type { API_SETTINGS } from './settings.ts'

/** The service's own fee of a swap, in hundredths of a percent of what is bought. */
export type SwapFee = { readonly bps: number; readonly recipient: Address }

/** Whom we ask for swaps, and for what. */
export type SwapConfig = {
  readonly provider: SwapProviderName
  /** Secret. */
  readonly apiKey: string
  readonly baseUrl: string
  /** How much worse than quoted a swap may be filled, in hundredths of a percent; within `inputAmount`. */
  readonly slippageBps: number
  readonly fee: SwapFee | null
}

/** Tells what is missing of the swap provider's settings: a provider has a key, and a fee a recipient. */
export function findSwapProblems(env: Environ): readonly string[] {
  const problems: string[] = []
  // What is no provider is told of where the names are.
  if (Object.hasOwn(SWAP_PROVIDERS, env['SWAP_PROVIDER'] ?? '') && !env['SWAP_API_KEY'])
    problems.push('SWAP_API_KEY is not set: must be, because SWAP_PROVIDER is')
  if (Number(env['SWAP_FEE_BPS'] || 0) > 0 && !env['SWAP_FEE_RECIPIENT'])
    problems.push('SWAP_FEE_RECIPIENT is not set: must be, because SWAP_FEE_BPS is above 0')
  return problems
}

/** Makes of settings whom we ask for swaps; `null` without a provider. */
export function swapConfigOf(values: Static<typeof API_SETTINGS>): SwapConfig | null {
  const { SWAP_PROVIDER: provider, SWAP_API_KEY: apiKey } = values
  if (provider === undefined || apiKey === undefined) return null
  return {
    provider: provider as SwapProviderName,
    apiKey,
    baseUrl: values.SWAP_BASE_URL,
    slippageBps: values.SWAP_SLIPPAGE_BPS,
    fee: feeOf(values),
  }
}

function feeOf(values: Static<typeof API_SETTINGS>): SwapFee | null {
  if (values.SWAP_FEE_BPS === 0) return null
  const recipient = parseEvmAddress(values.SWAP_FEE_RECIPIENT ?? '')
  invariant(recipient, 'the recipient of swap fees passed its format')
  return { bps: values.SWAP_FEE_BPS, recipient }
}
