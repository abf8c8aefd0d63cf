import { privateKeyToAccount } from 'viem/accounts'
import { MAX_GAS } from '../../shared/domain/gas-bounds.ts'
import { createEscrowWorker } from '../escrow/escrow-worker.ts'
import { createEvmRelayer } from '../relayer/evm-relayer.ts'
import { toRelayer } from '../relayer/to-relayer.ts'
import { createBalanceWatch } from '../relayer/watch-balance.ts'
import type { ChainPayer, ChainPayerDeps } from './chain-payer.ts'

/** Poll interval for escrow orders. It does not depend on the block time, because a turn polls our database. */
const INTERVAL_MS = 1_000
const BALANCE_INTERVAL_MS = 60_000
/** Interval while the network sleeps. No transaction is sent then, so the balance does not fall. */
const BALANCE_ASLEEP_MS = 3_600_000
/**
 * Maximum unmined transactions of the account. Nodes keep few per account (geth: 64 queued), so further payouts wait in
 * our table.
 */
const MAX_UNMINED = 8
const REBROADCAST_SECONDS = 15
const REPLACE_AFTER_SECONDS = 120
/**
 * Time after which a transaction that every node rejects is replaced by an empty one. By then, the rejected transaction
 * has been broadcast about twenty times.
 */
const EMPTY_AFTER_SECONDS = 300

/**
 * Creates the payer of an EVM chain: the relayer, the worker that processes escrow orders, and the monitor of the
 * relayer's gas balance. `payout-actor.ts` decides when to pay which payout, and sends transactions through this payer.
 */
export function createEvmChainPayer(deps: ChainPayerDeps): ChainPayer {
  const { deployment, nodes } = deps
  const evm = createEvmRelayer({
    ...deps,
    account: privateKeyToAccount(deps.relayerPrivateKey),
    duty: 'payouts',
    terms: {
      confirmations: deployment.confirmations,
      gasBounds: deployment.gasBounds,
      dataFee: deployment.dataFee,
      maxUnmined: MAX_UNMINED,
      rebroadcastSeconds: REBROADCAST_SECONDS,
      replaceAfterSeconds: REPLACE_AFTER_SECONDS,
      emptyAfterSeconds: EMPTY_AFTER_SECONDS,
    },
  })
  const escrow = createEscrowWorker({
    ...{ ...deps, chain: nodes },
    ...{ relayer: evm, maxGas: MAX_GAS },
  })
  const balance = createBalanceWatch({
    ...{ ...deployment, ...deps, relayer: evm.address, duty: 'payouts' },
    metrics: { ...deps.metrics, setCost: deps.metrics.setPayoutCost },
  })
  return {
    relayer: toRelayer(evm, { nodes, maxGas: MAX_GAS }),
    duties: [
      { name: 'escrow orders', turn: escrow.turn, intervalMs: INTERVAL_MS },
      {
        ...{ name: 'relayer balance', turn: balance.turn },
        ...{ intervalMs: BALANCE_INTERVAL_MS, asleepMs: BALANCE_ASLEEP_MS },
      },
    ],
  }
}
