import type { Address } from '../../../domain/address.ts'
import type { Token } from '../../../domain/networks.ts'
import type { Db } from '../../connect.ts'

/** Answers which tokens of a chain an operator has paused, and which relayers have sent anything there. */
export async function readDoctorFacts(
  db: Db,
  chainId: number,
): Promise<{ readonly pausedTokens: readonly Token[]; readonly relayers: readonly Address[] }> {
  const [row] = await db<{ pausedTokens: Token[]; relayers: Address[] }[]>`
    select array(select token from pairs where chain_id = ${chainId} and paused_at is not null order by token)
        as paused_tokens,
      array(select address from relayers where chain_id = ${chainId} order by address) as relayers`
  return row ?? { pausedTokens: [], relayers: [] }
}
