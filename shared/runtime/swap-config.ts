import type { Static } from '@sinclair/typebox'
import { type Address, parseEvmAddress } from '../domain/address.ts'
import { invariant } from '../domain/errors.ts'
import { SWAP_PROVIDERS, type SwapProviderName } from '../domain/swap/swap-providers.ts'
import type { ProcessEnv } from './read-settings.ts'
import type { API_SETTINGS } from './settings.ts'

/** The service's own swap fee, in hundredths of a percent of the bought amount. */
export type SwapFee = { readonly bps: number; readonly recipient: Address }

/** Configuration of the swap provider. */
export type SwapConfig = NonNullable<ReturnType<typeof findSwapConfig>>

/** Lists missing swap settings. A provider requires a key, and a fee requires a recipient. */
export function findSwapProblems(env: ProcessEnv): readonly string[] {
  const problems: string[] = []
  // The format of SWAP_PROVIDER reports an unknown provider.
  if (Object.hasOwn(SWAP_PROVIDERS, env['SWAP_PROVIDER'] ?? '') && !env['SWAP_API_KEY'])
    problems.push('SWAP_API_KEY is not set: it is required, because SWAP_PROVIDER is set')
  if (Number(env['SWAP_FEE_BPS'] || 0) > 0 && !env['SWAP_FEE_RECIPIENT'])
    problems.push('SWAP_FEE_RECIPIENT is not set: it is required, because SWAP_FEE_BPS is above 0')
  return problems
}

/** Returns the swap configuration; `null` if no provider is set. */
export function findSwapConfig(values: Static<typeof API_SETTINGS>) {
  const { SWAP_PROVIDER: provider, SWAP_API_KEY: apiKey } = values
  if (provider === undefined || apiKey === undefined) return null
  return {
    provider: provider as SwapProviderName,
    apiKey,
    baseUrl: values.SWAP_BASE_URL,
    /** Maximum deviation of a swap from its quote, in hundredths of a percent. The quoted `inputAmount` includes it. */
    slippageBps: values.SWAP_SLIPPAGE_BPS,
    fee: getFee(values),
  }
}

function getFee(values: Static<typeof API_SETTINGS>): SwapFee | null {
  if (values.SWAP_FEE_BPS === 0) return null
  const recipient = parseEvmAddress(values.SWAP_FEE_RECIPIENT ?? '')
  invariant(recipient, 'the recipient of swap fees must have passed validation')
  return { bps: values.SWAP_FEE_BPS, recipient }
}
