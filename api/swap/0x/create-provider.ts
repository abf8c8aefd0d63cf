import { AppError } from '../../../shared/domain/errors.ts'
import type { SwapConfig } from '../../../shared/runtime/swap-config.ts'
import type { ChainOf } from '../../chain-clients.ts'
import type { SwapAnswer, SwapAsk, SwapProvider } from '../provider.ts'
import { within } from '../within.ts'
import { askApi } from './ask-api.ts'
import { findSettlerProblem, type Settlers } from './find-settler-problem.ts'
import { readChains, readQuote } from './read-quote.ts'
import { createReadSettlers } from './read-settlers.ts'

/**
 * Makes the adapter of 0x's Swap API v2: an exact buy that the payer sends to Settler himself, an ERC-20 input taken by
 * Permit2.
 *
 * @param chainOf - the nodes of our own, of which a quorum reports which settler is the right one
 * @see https://0x.org/docs/api, `/swap/permit2/quote`
 */
export function createZeroExProvider(config: SwapConfig, chainOf: ChainOf): SwapProvider {
  const settlersOf = createReadSettlers()

  /** Never rejects: nobody may be waiting for it any more. */
  async function readSettlers(chainId: number, signal: AbortSignal): Promise<Settlers | null> {
    const chain = chainOf(chainId)
    if (chain === undefined) return null
    return within(settlersOf(chain), signal).catch(() => null)
  }

  return {
    name: '0x',
    listChains: async (signal) => {
      const answer = await askApi(config, '/swap/chains', signal)
      const chains = answer.ok ? readChains(answer.body) : null
      if (chains !== null) return chains
      const reason = answer.ok ? 'answered no list of chains' : answer.reason
      throw new AppError('service_unavailable', `0x ${reason}`, { details: { id: answer.id } })
    },
    quoteExactOut: async (ask, signal) => {
      // Side by side: the registry's answer is mostly known, and otherwise costs no time of its own.
      const [answer, settlers] = await Promise.all([
        askApi(config, `/swap/permit2/quote?${queryOf(ask, config).toString()}`, signal),
        readSettlers(ask.chainId, signal),
      ])
      if (!answer.ok) return answer
      const refuse = (reason: string): SwapAnswer => ({ ok: false, id: answer.id, reason, isOutage: false })
      if (settlers === null) return refuse('has no settler that our nodes could read')
      const quote = readQuote(answer.body)
      if (!quote.ok) return refuse(quote.reason)
      const problem = findSettlerProblem(quote.offer.transaction, { ask, settlers })
      return problem === null ? { ok: true, id: answer.id, offer: quote.offer } : refuse(problem)
    },
  }
}

function queryOf(ask: SwapAsk, { slippageBps, fee }: SwapConfig): URLSearchParams {
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
      // Fees are shown in units of the output token.
      swapFeeToken: ask.buyToken,
    }),
  })
}
