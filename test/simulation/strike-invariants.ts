import { hexToBigInt } from 'viem'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../../shared/domain/log-topics.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { InvariantContext } from './invariant-context.ts'
import { attoOf, findLoggedToken } from './logged-token.ts'
import { type Block, blocksFrom, type ModelLog } from './model/chain.ts'

/** A row that is counted, or was counted until it was struck. `event` has the values of `struck_rows`. */
export type CountedRow = {
  readonly what: string
  readonly chainId: number
  readonly chargeId: string
  readonly blockNumber: number
  readonly tokenAddress: Address
  readonly txHash: Hex
  readonly event: 'credited' | 'distributed' | 'held' | 'released' | 'release' | 'refund'
  readonly party: Address
  /** In 10⁻¹⁸ dollars. */
  readonly amountAtto: bigint
}

type Place = Pick<IndexerDeployment, 'tokens'> & {
  readonly address: Address
  readonly splitAddress: Address
}

/**
 * Creates the check that a row is struck only if the chain's block at its height lacks it. Each row is compared only
 * once, after its strike, because a later reorganization can include its transaction again.
 */
export function createStrikeCheck({ database, history, charges, hasStrikes }: InvariantContext) {
  const checked = new Set<string>()
  return async (): Promise<readonly string[]> => {
    if (!hasStrikes) return []
    const rows = await database.sql<CountedRow[]>`
      select kind || ':' || row_id as what, chain_id, charge_id, block_number, token_address, tx_hash, event, party,
        amount_atto
      from struck_rows order by order_id`
    const fresh = rows.filter(({ what }) => !checked.has(what))
    for (const { what } of fresh) checked.add(what)
    return fresh
      .filter((row) => {
        const scene = history.scenes.get(row.chainId)
        const charge = charges.find(({ id }) => id === row.chargeId)
        if (scene === undefined || charge === undefined) return false
        const [block] = blocksFrom(scene.chain.tip(), row.blockNumber)
        return block !== undefined && countIn([block], row, { ...charge, ...scene.deployment }) > 0
      })
      .map(({ what, txHash }) => `${what} was struck, although the chain has it in ${txHash}`)
  }
}

/**
 * At rest, every counted row is on the chain, even after a deep reorganization, and no log is counted twice. Checks
 * only chains whose denied rows operators strike. Skips chains with a permanently lost node, because such a node denies
 * no row.
 */
export async function findUnstruck(terms: InvariantContext): Promise<readonly string[]> {
  const { database, history, charges, hasStrikes, operators } = terms
  if (!hasStrikes) return []
  const rows = await database.sql<CountedRow[]>`
    select 'transfer:' || id as what, chain_id, charge_id, block_number, token_address, tx_hash, 'credited' as event,
      sender as party, amount_atto
    from transfers where credited_at is not null and chain_id is not null
    union all
    select 'split-event:' || id, chain_id, charge_id, block_number, token_address, tx_hash, kind, account,
      trunc(amount_atomic * 10::numeric ^ (18 - decimals))
    from split_events join pairs using (chain_id, token_address) where applied_at is not null
    union all
    select 'escrow-transfer:' || id, chain_id, charge_id, block_number, token_address, tx_hash, action, recipient,
      trunc(amount_atomic * 10::numeric ^ (18 - decimals)) + dust_atto
    from escrow_transfers join pairs using (chain_id, token_address) where applied_at is not null`
  return [...history.scenes].flatMap(([chainId, { chain, deployment, nodes }]) => {
    if (!operators.isRepaired(chainId)) return []
    if (nodes.some(({ mode, lie }) => mode !== 'well' || lie !== null)) return []
    const blocks = blocksFrom(chain.tip(), 1)
    const seen = new Map<string, number>()
    return rows
      .filter((row) => row.chainId === chainId)
      .filter((row) => {
        const key = contentOf(row)
        seen.set(key, (seen.get(key) ?? 0) + 1)
        const charge = charges.find(({ id }) => id === row.chargeId)
        return (
          charge === undefined || countIn(blocks, row, { ...charge, ...deployment }) < (seen.get(key) ?? 0)
        )
      })
      .map(({ what, txHash }) => `${what} still counts, but the chain does not have it in ${txHash}`)
  })
}

/** Lists the charges with struck rows, whose statuses and events can still reflect the struck amounts. */
export async function listStruckCharges({
  database,
  hasStrikes,
}: Pick<InvariantContext, 'database' | 'hasStrikes'>): Promise<ReadonlySet<string>> {
  if (!hasStrikes) return new Set()
  const rows = await database.sql<{ chargeId: string }[]>`select distinct charge_id from struck_rows`
  return new Set(rows.map(({ chargeId }) => chargeId))
}

function contentOf({ chargeId, txHash, tokenAddress, event, party, amountAtto }: CountedRow): string {
  return [chargeId, txHash, tokenAddress, event, party, amountAtto].join('/')
}

/** Counts the logs in the row's transaction that have the row's content. */
export function countIn(blocks: readonly Block[], row: CountedRow, place: Place): number {
  return blocks
    .flatMap(({ receipts }) => receipts.filter(({ transaction }) => transaction.hash === row.txHash))
    .flatMap(({ logs }) => logs)
    .filter((log) => isLogOf(row, log, place)).length
}

const SPLIT_EVENTS: Readonly<Record<string, Hex | undefined>> = {
  distributed: SPLIT_TOPICS[0],
  held: SPLIT_TOPICS[1],
  released: SPLIT_TOPICS[2],
}

function isLogOf(
  { event, tokenAddress, party, amountAtto }: CountedRow,
  { address, topics, data }: Pick<ModelLog, 'address' | 'topics' | 'data'>,
  { address: payee, splitAddress, tokens }: Place,
): boolean {
  const names = (at: number, named: Address) => topics[at]?.endsWith(named.slice(2)) === true
  const splitTopic = SPLIT_EVENTS[event]
  if (splitTopic !== undefined) {
    const { decimals = 0 } = tokens.find((each) => each.address === tokenAddress) ?? {}
    const isOfSplit = address === splitAddress && topics[0] === splitTopic
    const isAmount = hexToBigInt(data) * 10n ** BigInt(18 - decimals) === amountAtto
    return isOfSplit && isAmount && names(1, tokenAddress) && names(2, party)
  }
  const token = findLoggedToken({ tokens }, address)
  if (token?.address !== tokenAddress || topics[0] !== TRANSFER_TOPIC) return false
  if (attoOf(token, hexToBigInt(data)) !== amountAtto) return false
  return event === 'credited' ? names(1, party) && names(2, payee) : names(1, payee) && names(2, party)
}
