import { encodeFunctionData, type Hex, multicall3Abi } from 'viem'
import { CREATE_AND_DISTRIBUTE } from '../../../shared/chain/abi/create-and-distribute.ts'
import { readDataFee } from '../../../shared/chain/data-fee/read-data-fee.ts'
import { type BoundedCall, sendSigned } from '../../../shared/chain/nodes/send-signed.ts'
import { estimateGas, simulateCall } from '../../../shared/chain/nodes/simulate.ts'
import { waitForReceipt } from '../../../shared/chain/nodes/wait-for-receipt.ts'
import { hasCode, MULTICALL3 } from '../../../shared/chain/tokens/read-numbers.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { NATIVE_COIN } from '../../../shared/domain/distribution-call.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { delay } from '../delay.ts'
import { CostLimitError } from './cost-limit.ts'
import type { ExitChain } from './exit-chain.ts'
import type { Payment } from './payment.ts'
import { getRevertReason } from './revert-reason.ts'
import type { BlockedPayment, QuotedPayment, Sender, SendOrder } from './sender.ts'
import { smaller } from './smaller.ts'

/**
 * Maximum gas of a batch's payments. With the batch's own gas and a margin, the transaction stays below the limit of
 * 2^24 gas (EIP-7825).
 */
const MAX_BATCH_GAS = 10_000_000n
/**
 * Maximum payments per batch. At 700 bytes per call, a batch stays below the nodes' limit of 128 kB per transaction.
 */
const MAX_BATCH_PAYMENTS = 50
/** Gas that a transaction needs in addition to its payments. */
const BATCH_GAS = 60_000n
/**
 * Maximum gas of a payment, excluding the gas for posting its data to the parent chain. A distribution to 16 recipients
 * takes under 700,000 gas, so more than this indicates a faulty token.
 */
const MAX_GAS = 3_000_000n
/**
 * Maximum ratio of a payment's cost to its estimate. The price can rise before the transaction is signed, and if a
 * batch fails, each of its payments is sent again in its own transaction.
 */
const MAX_COST_FACTOR = 2n
const RECEIPT_TIMEOUT_MS = 120_000
const PENDING_TIMEOUT_MS = 120_000
const PENDING_INTERVAL_MS = 1_000

export function createEvmSender(chain: ExitChain): Sender {
  const { client, network } = chain
  const { gas: bounds, dataFee } = REGISTRY[network]
  let price: Promise<bigint> | undefined

  return { quote, send, untilIdle, readFunds: (address) => client.getBalance({ address }) }

  async function quote(payment: Payment, account: Address): Promise<QuotedPayment | BlockedPayment> {
    try {
      const { to, data } = payment
      const { gas } = await simulateCall(client, { to, data, account }, CREATE_AND_DISTRIBUTE)
      return await withCost(payment, gas)
    } catch (error) {
      return { ...payment, reason: getRevertReason(error) }
    }
  }

  async function withCost(payment: Payment, gas: bigint): Promise<QuotedPayment | BlockedPayment> {
    const { to, data } = payment
    price ??= client.getGasPrice()
    const posting = await readDataFee(client, dataFee.model, { to, data, gas })
    if (gas > MAX_GAS + posting.gas)
      return { ...payment, reason: `it needs ${gas} gas, but at most ${MAX_GAS + posting.gas} is allowed` }
    const offered = smaller(await price, bounds?.maxFeePerGasWei ?? 0n)
    const cost = gas * offered + posting.besideWei
    return { ...payment, gas, cost, maxCost: MAX_COST_FACTOR * cost }
  }

  async function send(order: SendOrder): Promise<readonly BlockedPayment[]> {
    const { account, payments, costLimit, onSigned, onSent } = order
    const address = account.address.toLowerCase() as Address
    let { nonce } = order
    const blocked: BlockedPayment[] = []
    for (const batch of await makeBatches(payments)) blocked.push(...(await sendBatch(batch)))
    return blocked

    /**
     * If a batch of several payments reverts or needs too much gas, sends its payments one by one, because another
     * account might already have made one of them.
     */
    async function sendBatch(batch: readonly QuotedPayment[]): Promise<readonly BlockedPayment[]> {
      const [first] = batch
      if (first === undefined) return []
      try {
        const call = batch.length === 1 ? first : combine(batch)
        const gas = await estimateGas(client, { to: call.to, data: call.data, account: address })
        requirePlannedGas(gas, batch)
        const fees = await chooseFees()
        const bounded = { to: call.to, data: call.data, gas, fees, nonce }
        costLimit.consume(await getMaxCost(bounded))
        const txHash = await sendSigned(client, account, {
          ...bounded,
          onSigned: (txHash) => onSigned({ txHash, payments: batch }),
        })
        nonce += 1
        await requireSuccess(txHash)
        onSent({ txHash, payments: batch })
        return []
      } catch (error) {
        const reason = getReason(error)
        const isFinal = error instanceof CostLimitError || batch.length === 1
        if (isFinal) return batch.map((payment) => ({ ...payment, reason }))
      }
      const blocked: BlockedPayment[] = []
      for (const payment of batch) blocked.push(...(await sendBatch([payment])))
      return blocked
    }
  }

  /**
   * Returns the maximum cost of a call in wei. Includes the data fee that the nodes report, because on the OP stack no
   * field of the transaction limits that fee.
   */
  async function getMaxCost({ to, data, gas, fees }: BoundedCall): Promise<bigint> {
    const posting = await readDataFee(client, dataFee.model, { to, data, gas })
    return gas * fees.maxFeePerGas + posting.besideWei
  }

  /**
   * Waits until no transaction of the account is pending, because those of an earlier run might still be mined.
   */
  async function untilIdle(address: Address): Promise<number> {
    const deadline = performance.now() + PENDING_TIMEOUT_MS
    for (;;) {
      const [mined, sent] = await Promise.all([
        client.getTransactionCount({ address, blockTag: 'latest' }),
        client.getTransactionCount({ address, blockTag: 'pending' }),
      ])
      if (sent <= mined) return mined
      if (performance.now() >= deadline)
        throw new Error(
          `${sent - mined} transactions of ${address} are not mined yet: wait, or replace them from a wallet with this key`,
        )
      await delay(PENDING_INTERVAL_MS)
    }
  }

  /** A payment of native coin gets its own batch, because it runs the code of its recipients. */
  async function makeBatches(payments: readonly QuotedPayment[]): Promise<readonly QuotedPayment[][]> {
    if (!(await hasCode(client, MULTICALL3))) return payments.map((payment) => [payment])
    const batches: QuotedPayment[][] = []
    let gas = 0n
    for (const payment of payments) {
      const last = batches.at(-1)
      gas += payment.gas
      const isJoinable = [payment, ...(last ?? [])].every(({ token }) => token.address !== NATIVE_COIN)
      if (last && isJoinable && last.length < MAX_BATCH_PAYMENTS && gas <= MAX_BATCH_GAS) last.push(payment)
      else {
        batches.push([payment])
        gas = payment.gas
      }
    }
    return batches
  }

  async function requireSuccess(hash: Hex): Promise<void> {
    const { status } = await waitForReceipt(client, hash, { timeoutMs: RECEIPT_TIMEOUT_MS })
    if (status !== 'success') throw new RevertedError(`it reverted in ${hash}`)
  }

  /**
   * The maximum fee and the tip are limited, because a node might report false prices, and a tip is paid in full.
   */
  async function chooseFees() {
    const fees = await client.estimateFeesPerGas()
    const block = await client.getBlock()
    const [maxFee, maxTip] = [bounds?.maxFeePerGasWei ?? 0n, bounds?.maxTipPerGasWei ?? 0n]
    if ((block.baseFeePerGas ?? 0n) > maxFee)
      throw new Error(`gas costs ${block.baseFeePerGas} wei; at most ${maxFee} wei is paid: try again later`)
    const maxFeePerGas = smaller(fees.maxFeePerGas, maxFee)
    const tip = smaller(fees.maxPriorityFeePerGas, maxTip)
    return { maxFeePerGas, maxPriorityFeePerGas: smaller(tip, maxFeePerGas) }
  }
}

/** A transaction reverted or would use too much gas. */
class RevertedError extends Error {}

/**
 * Throws if a batch needs over 25 % more gas than planned. A token or a recipient might behave differently than in the
 * simulation, and use up the gas of a block.
 */
function requirePlannedGas(gas: bigint, batch: readonly QuotedPayment[]): void {
  const planned = batch.reduce((sum, payment) => sum + payment.gas, BATCH_GAS)
  const limit = (planned * 5n) / 4n
  if (gas > limit) throw new RevertedError(`it needs ${gas} gas, but at most ${limit} is allowed`)
}

/**
 * In the combined call, all payments succeed or none. Otherwise a gas estimate would accept a batch with failing
 * payments.
 */
function combine(batch: readonly QuotedPayment[]): { readonly to: Address; readonly data: Hex } {
  const calls = batch.map(({ to, data }) => ({ target: to, callData: data, allowFailure: false }))
  return {
    to: MULTICALL3,
    data: encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] }),
  }
}

function getReason(error: unknown): string {
  const isOwn = error instanceof RevertedError || error instanceof CostLimitError
  return isOwn ? error.message : getRevertReason(error)
}
