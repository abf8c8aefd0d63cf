import { checkAuthorization } from '../../shared/chain/authorization-check.ts'
import type { ChainClient } from '../../shared/chain/client.ts'
import {
  type OfferedToken,
  offerSignablePairs,
} from '../../shared/db/authorizations/daemon/signable-pairs.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { MicroDollars } from '../../shared/domain/money.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { TokenConfig } from '../../shared/runtime/networks-config.ts'

type Deps = {
  readonly sql: Sql
  readonly client: ChainClient
  readonly tokens: readonly TokenConfig[]
  readonly minimumMicro: MicroDollars
  readonly dailyGas: number
  readonly log: Logger
}

/** Two reads a token; an offer that nobody renews is void after ten minutes. */
const OFFER_AGAIN_MS = 60_000

/**
 * Makes what says, again and again, which tokens of a chain are paid by signature: those whose own separator and functions
 * are what our payers sign with. One that no node tells about now stays what it was.
 *
 * Again and again, because an issuer may change what is behind a proxy, and because an offer that nobody renews is void.
 */
export function createPairOffer(deps: Deps): { readonly turn: () => Promise<'idle'> } {
  const matching = new Map<TokenConfig, boolean>()
  const asked = deps.tokens.filter(({ enabled, authorization }) => enabled && authorization)
  let dueAtMs = 0
  return {
    turn: async () => {
      if (performance.now() < dueAtMs) return 'idle'
      for (const token of asked) await look(deps, token, matching)
      const tokens = deps.tokens.flatMap((token) => (matching.get(token) ? offerOf(deps, token) : []))
      const isAll = await offerSignablePairs(deps.sql, { chainId: deps.client.chain.id, tokens })
      // A pair has its row once its feed is level, and what no node told about is asked again at once.
      if (isAll && matching.size === asked.length) dueAtMs = performance.now() + OFFER_AGAIN_MS
      return 'idle'
    },
  }
}

async function look(
  { client, log }: Deps,
  token: TokenConfig,
  matching: Map<TokenConfig, boolean>,
): Promise<void> {
  const { address, authorization: domain } = token
  if (!domain || !token.enabled) return
  const chainId = client.chain.id
  const said = await checkAuthorization(client, { chainId, token: address, domain })
  if (said === 'unreachable') return
  if (said !== 'match' && matching.get(token) !== false)
    log.error({
      msg: 'Offer no signatures for a token',
      chain_id: chainId,
      token: token.token,
      address,
      said,
    })
  matching.set(token, said === 'match')
}

function offerOf({ minimumMicro, dailyGas }: Deps, token: TokenConfig): readonly OfferedToken[] {
  const { address: tokenAddress, authorization: domain } = token
  return !domain ? [] : [{ tokenAddress, domain, minimumMicro, dailyGas }]
}
