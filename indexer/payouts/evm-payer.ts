import { privateKeyToAccount } from 'viem/accounts'
import { createEscrowWorker } from '../escrow/escrow-worker.ts'
import { asRelayer } from '../relayer/as-relayer.ts'
import { createEvmRelayer } from '../relayer/evm-relayer.ts'
import { createBalanceWatch } from '../relayer/watch-balance.ts'
import type { Payer, PayerDeps } from './payer.ts'

/** The turns look at rows, not at time. */
const INTERVAL_MS = 1_000
const BALANCE_INTERVAL_MS = 60_000
/** Nodes keep few transactions of one account (geth: 64 queued); the rest wait in our table. */
const MAX_UNMINED = 8
/** A distribution to 16 recipients takes under 700,000 gas on first deployment, posting apart; beyond this something is wrong. */
const MAX_GAS = 2_000_000n
const REBROADCAST_SECONDS = 15
const REPLACE_AFTER_SECONDS = 120
/** Twenty offers that nobody took. */
const EMPTY_AFTER_SECONDS = 300

/**
 * Makes what pays out on a chain of Ethereum's kind: the relayer that counts nonces, and beside it the worker that takes
 * escrow orders and the watch over the gas money.
 */
export function createEvmPayer(deps: PayerDeps): Payer {
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
    relayer: asRelayer(evm, { nodes, maxGas: MAX_GAS }),
    duties: [
      { name: 'escrow orders', turn: escrow.turn, intervalMs: INTERVAL_MS },
      { name: 'relayer balance', turn: balance.turn, intervalMs: BALANCE_INTERVAL_MS },
    ],
  }
}
