import { checkAuthorizationDomain } from '../../shared/chain/eip3009/check-authorization-domain.ts'
import {
  replaceSignablePairs,
  type SignableToken,
} from '../../shared/db/pay-by-signature/daemon/signable-pairs.ts'
import type { MicroDollars } from '../../shared/domain/money.ts'
import type { TokenConfig } from '../../shared/runtime/networks-config.ts'
import type { TrackingContext } from './authorization-context.ts'

type Deps = Pick<TrackingContext, 'sql' | 'chain' | 'clock' | 'log'> & {
  readonly tokens: readonly TokenConfig[]
  readonly minimumMicro: MicroDollars
  readonly dailyGasLimit: number
  readonly metrics: Pick<TrackingContext['metrics'], 'setWithheld'>
}

/** Interval between checks of a token. They are repeated because an issuer may change the contract behind a proxy. */
const LOOK_INTERVAL_MS = 86_400_000

/**
 * Creates the job that publishes the tokens of a chain that can be paid by signature. A quorum must report that the
 * token's domain separator and functions match the payers' signatures. The job checks the tokens at the start and
 * daily. If no quorum agrees on a token's result, its last result stays valid, and the next turn checks all tokens
 * again. After a restart, a token's published row is neither renewed nor deleted until the first result.
 *
 * Each turn publishes the tokens again, because a row that is not renewed expires after ten minutes.
 */
export function createSignablePairPublisher(deps: Deps): { readonly turn: () => Promise<'idle'> } {
  const matching = new Map<TokenConfig, boolean>()
  let lookedAtMs = Number.NEGATIVE_INFINITY
  return {
    turn: async () => {
      const nowMs = deps.clock().getTime()
      if (nowMs - lookedAtMs >= LOOK_INTERVAL_MS) {
        let isTold = true
        for (const token of deps.tokens) isTold = (await look(deps, token, matching)) && isTold
        if (isTold) lookedAtMs = nowMs
      }
      deps.metrics.setWithheld([...matching.values()].filter((matches) => !matches).length)
      const tokens = deps.tokens.flatMap((token) => (matching.get(token) ? offerOf(deps, token) : []))
      const untold = deps.tokens.filter((token) => mayBeAsked(token) && !matching.has(token))
      const kept = untold.map(({ address }) => address)
      await replaceSignablePairs(deps.sql, { chainId: deps.chain.chainId, tokens, kept })
      return 'idle'
    },
  }
}

/** Checks a token, if it is enabled and supports EIP-3009. Returns `false` if no quorum agrees on the result. */
async function look(
  { chain, log }: Deps,
  token: TokenConfig,
  matching: Map<TokenConfig, boolean>,
): Promise<boolean> {
  const { address, authorization: domain } = token
  if (!domain || !mayBeAsked(token)) return true
  const { chainId } = chain
  const said = await checkAuthorizationDomain(chain, { chainId, token: address, domain })
  if (said === 'unreachable') return false
  if (said !== 'match' && matching.get(token) !== false)
    log.error({
      msg: 'Payment by signature is disabled for a token',
      chain_id: chainId,
      token: token.token,
      address,
      said,
    })
  matching.set(token, said === 'match')
  return true
}

function mayBeAsked({ authorization, enabled }: TokenConfig): boolean {
  return enabled && authorization !== null && authorization !== undefined
}

function offerOf({ minimumMicro, dailyGasLimit }: Deps, token: TokenConfig): readonly SignableToken[] {
  const { address: tokenAddress, authorization: domain } = token
  return !domain ? [] : [{ tokenAddress, domain, minimumMicro, dailyGasLimit }]
}
