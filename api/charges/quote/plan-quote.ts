import type { CurrentCharge } from '../../../shared/db/charges/api/charges-read.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { AppError, invariant } from '../../../shared/domain/errors.ts'
import { attoToAtomicCeil } from '../../../shared/domain/money.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { type Pair, pairKey, type SwapTokenFacts } from '../../../shared/domain/networks.ts'
import { findSwapOutput, type SwapAlternative } from '../../../shared/domain/swap/swap-alternatives.ts'
import type { Swap } from '../../swap/create-swap.ts'
import type { SwapQuoteRequest } from '../../swap/provider.ts'
import { requireAmountAsked } from '../require-amount-asked.ts'

/** A request to the provider, and the decimals of its amounts. */
export type QuotePlan = {
  readonly ask: SwapQuoteRequest
  readonly input: SwapAlternative
  readonly inputDecimals: number
  readonly output: Pair
  readonly outputDecimals: number
  /** Payments at or after this time are late (decisions 3.5). */
  readonly chargeExpiresAt: Date
}

/**
 * Determines the swap that pays the amount due of a charge now.
 *
 * Throws for the first of these problems: the charge is a test charge; its state allows no payment; none of its pairs
 * is available; no provider is configured; the input is not supported; no pair that the input could pay is available.
 *
 * @throws {AppError} `swap_test_environment_unsupported`, `charge_not_payable`, `payment_temporarily_unavailable`,
 * `swap_unavailable`, `token_not_supported`
 */
export function planQuote(
  swap: Pick<Swap, 'networks'> | null,
  current: CurrentCharge,
  request: { readonly input: SwapAlternative; readonly taker: Address; readonly now: Date },
): QuotePlan {
  const { charge, contracts, paymentUnavailable, unavailablePayments } = current
  if (charge.environment === 'test') {
    throw new AppError('swap_test_environment_unsupported', 'a test charge cannot be paid by a swap')
  }
  const { input, taker, now } = request
  const asked = requireAmountAsked(current, now)
  if (paymentUnavailable) throw createUnavailableError(charge.id)
  if (swap === null) throw new AppError('swap_unavailable', 'swaps are not configured')
  const networks = swap.networks()
  const findOutput = (unavailable: CurrentCharge['unavailablePayments']) => {
    const offering = { networks, unavailablePayments: new Set(unavailable) }
    return findSwapOutput(charge, { network: input.network, offering })
  }
  const inputFacts = REGISTRY[input.network].swapTokens[input.token]
  if (findOutput([]) === null || inputFacts === undefined) throw createInputError(charge.id, input)
  const output = findOutput(unavailablePayments)
  if (output === null) throw createUnavailableError(charge.id)
  const contract = contracts.get(pairKey(output))
  invariant(contract !== undefined, `${charge.id} accepts a pair with an unknown contract`)
  return {
    ask: {
      chainId: contract.chainId,
      sellToken: toSellToken(inputFacts),
      buyToken: contract.tokenAddress,
      buyAtomic: attoToAtomicCeil(asked, contract.decimals),
      taker,
      recipient: charge.address,
    },
    ...{ input, inputDecimals: inputFacts.decimals, output, outputDecimals: contract.decimals },
    chargeExpiresAt: charge.expiresAt,
  }
}

/** Returns whether both plans buy the same amount of the same token, so that an offer for one fits the other. */
export function isSamePlan(one: QuotePlan, other: QuotePlan): boolean {
  return one.ask.buyAtomic === other.ask.buyAtomic && one.ask.buyToken === other.ask.buyToken
}

function toSellToken({ address, isNative }: SwapTokenFacts): SwapQuoteRequest['sellToken'] {
  return { address, isNative }
}

function createUnavailableError(chargeId: string): AppError {
  return new AppError(
    'payment_temporarily_unavailable',
    `${chargeId} cannot be paid in this way at the moment`,
  )
}

function createInputError(chargeId: string, { token, network }: SwapAlternative): AppError {
  return new AppError(
    'token_not_supported',
    `${chargeId} cannot be paid with ${token} on ${network}; see its swapAlternatives`,
    { param: 'inputToken' },
  )
}
