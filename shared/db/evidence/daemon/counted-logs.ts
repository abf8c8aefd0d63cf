import type { Address, Hex } from '../../../domain/address.ts'
import type { EvidenceKind } from '../../../domain/evidence/evidence-kind.ts'
import type { AtomicUnits, AttoDollars } from '../../../domain/money.ts'
import type { Db } from '../../connect.ts'

/** A counted log of a transaction in a block, and the addresses of its charge. */
export type CountedLogRow = {
  readonly txHash: Hex
  readonly kind: EvidenceKind
  /** The index in the block. */
  readonly logIndex: number
  readonly tokenAddress: Address
  readonly party: Address
  /** As in `EvidenceLog`. */
  readonly amountAtomic: AtomicUnits
  readonly dustAtto: AttoDollars
  readonly address: Address
  readonly splitAddress: Address
}

type Wanted = { readonly chainId: number; readonly blockHash: Hex; readonly txHashes: readonly Hex[] }

/** Lists the counted logs of these transactions of a block, of all charges. */
export async function listCountedLogs(db: Db, wanted: Wanted): Promise<readonly CountedLogRow[]> {
  const { chainId, blockHash, txHashes } = wanted
  const isWanted = db`
    r.chain_id = ${chainId} and r.tx_hash = any (${txHashes}) and r.block_hash = ${blockHash}`
  return db<CountedLogRow[]>`
    select r.tx_hash, 'credit' as kind, r.log_index, r.token_address, r.sender as party, r.value_atomic as amount_atomic,
      0::numeric as dust_atto, c.address, c.split_address
    from transfers r join charges c on c.id = r.charge_id where ${isWanted} and r.credited_at is not null
    union all
    select r.tx_hash, case r.kind when 'distributed' then 'distribution' else r.kind end, r.log_index, r.token_address,
      r.account, r.amount_atomic, 0::numeric, c.address, c.split_address
    from split_events r join charges c on c.id = r.charge_id where ${isWanted} and r.applied_at is not null
    union all
    select r.tx_hash, 'escrow_' || r.action, r.log_index, r.token_address, r.recipient, r.amount_atomic, r.dust_atto,
      c.address, c.split_address
    from escrow_transfers r join charges c on c.id = r.charge_id where ${isWanted} and r.applied_at is not null`
}
