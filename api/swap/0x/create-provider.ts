import { AppError } from '../../../shared/domain/errors.ts'
import type { SwapConfig } from '../../../shared/runtime/swap-config.ts'
import type { FindChain } from '../../http/chain-clients.ts'
import { abortable } from '../abortable.ts'
import type { SwapProvider, SwapQuoteRequest, SwapQuoteResponse } from '../provider.ts'
import { findSettlerProblem, type Settlers } from './find-settler-problem.ts'
import { readChains, readQuote } from './read-quote.ts'
import { createReadSettlers } from './read-settlers.ts'
import { requestApi } from './request-api.ts'

/**
 * Creates the adapter of 0x's Swap API v2. It requests quotes for an exact output amount. The payer sends the quoted
 * transaction to 0x's Settler contract, which transfers ERC-20 inputs through Permit2.
 *
 * @param chainOf - returns our own nodes of a chain, which report the valid settlers
 * @see https://0x.org/docs/api, `/swap/permit2/quote`
 */
export function createZeroExProvider(config: SwapConfig, chainOf: FindChain): SwapProvider {
  const settlersOf = createReadSettlers()

  /** Returns `null` if no node is configured for the chain, or the settlers cannot be read. */
  async function readSettlers(chainId: number, signal: AbortSignal): Promise<Settlers | null> {
    const chain = chainOf(chainId)
    if (chain === undefined) return null
    return abortable(settlersOf(chain), signal).catch(() => null)
  }

  return {
    name: '0x',
    listChains: async (signal) => {
      const response = await requestApi(config, '/swap/chains', signal)
      const chains = response.ok ? readChains(response.body) : null
      if (chains !== null) return chains
      const reason = response.ok ? 'returned no list of chains' : response.reason
      throw new AppError('service_unavailable', `0x ${reason}`, { details: { id: response.id } })
    },
    quoteExactOut: async (ask, signal) => {
      // In parallel. Settlers that are not cached take no longer to read than the quote.
      const [response, settlers] = await Promise.all([
        requestApi(config, `/swap/permit2/quote?${buildQuery(ask, config).toString()}`, signal),
        readSettlers(ask.chainId, signal),
      ])
      if (!response.ok) return response
      const reject = (reason: string): SwapQuoteResponse => ({
        ok: false,
        id: response.id,
        reason,
        isOutage: false,
      })
      if (settlers === null) return reject('has no settler that our nodes could read')
      const quote = readQuote(response.body)
      if (!quote.ok) return reject(quote.reason)
      const problem = findSettlerProblem(quote.offer.transaction, { ask, settlers })
      return problem === null ? { ok: true, id: response.id, offer: quote.offer } : reject(problem)
    },
  }
}

function buildQuery(ask: SwapQuoteRequest, { slippageBps, fee }: SwapConfig): URLSearchParams {
  return new URLSearchParams({
    chainId: String(ask.chainId),
    sellToken: ask.sellToken.address,
    buyToken: ask.buyToken,
    buyAmount: String(ask.buyAtomic),
    taker: ask.taker,
    recipient: ask.recipient,
    slippageBps: String(slippageBps),
    ...(fee !== null && {
      swapFeeRecipient: fee.recipient,
      swapFeeBps: String(fee.bps),
      // Fees must be in units of the output token, because our API reports them in that token.
      swapFeeToken: ask.buyToken,
    }),
  })
}
