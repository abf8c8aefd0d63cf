import { CREATE_AND_DISTRIBUTE } from '../../../shared/chain/abi/create-and-distribute.ts'
import { queryTron } from '../../../shared/chain/tron/query-tron.ts'
import { readEnergyPrice, readTronFunds } from '../../../shared/chain/tron/read-tron.ts'
import { sendTron } from '../../../shared/chain/tron/send-tron.ts'
import { simulateTron } from '../../../shared/chain/tron/simulate-tron.ts'
import { createTronNodes } from '../../../shared/chain/tron/tron-node.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { CHAIN_FAMILIES } from '../../../shared/domain/chain-families/chain-families.ts'
import { bandwidthFeeSun, bandwidthOfCall } from '../../../shared/domain/chain-families/tron/bandwidth.ts'
import { getDistributionFeeLimitSun } from '../../../shared/domain/chain-families/tron/distribution-fee-limit.ts'
import { encodeTronCall } from '../../../shared/domain/chain-families/tron/raw-transaction.ts'
import { CostLimitError } from './cost-limit.ts'
import type { ExitChain } from './exit-chain.ts'
import type { Payment } from './payment.ts'
import { getRevertReason } from './revert-reason.ts'
import type { BlockedPayment, QuotedPayment, Sender, SendOrder, SentBatch } from './sender.ts'
import { smaller } from './smaller.ts'

/** Creates the sender of TRON. Each payment is its own transaction. */
export function createTronSender(chain: ExitChain): Sender {
  const nodes = createTronNodes(chain)
  const present = CHAIN_FAMILIES[chain.family].presentTransactionHash
  let price: Promise<bigint> | undefined

  return {
    quote,
    send,
    untilIdle: () => Promise.resolve(0),
    readFunds: async (account) => (await queryTron(nodes, (node) => readTronFunds(node, account))).balanceSun,
  }

  async function quote(payment: Payment, account: Address): Promise<QuotedPayment | BlockedPayment> {
    const { to, data } = payment
    try {
      price ??= queryTron(nodes, readEnergyPrice)
      const simulated = await queryTron(nodes, (node) =>
        simulateTron(node, { to, data, account }, CREATE_AND_DISTRIBUTE),
      )
      const bandwidth = getBandwidthFee(payment, account)
      const sunPerEnergy = await price
      const feeLimit = simulated.gas * sunPerEnergy
      if (feeLimit > getMaxFeeSun(payment))
        return { ...payment, reason: `it may burn more than ${getMaxFeeSun(payment)} sun` }
      const cost = simulated.likelyEnergy * sunPerEnergy + bandwidth
      return { ...payment, gas: simulated.gas, cost, maxCost: feeLimit + bandwidth }
    } catch (error) {
      return { ...payment, reason: getRevertReason(error) }
    }
  }

  async function send(order: SendOrder): Promise<readonly BlockedPayment[]> {
    const { account, payments, costLimit, onSigned, onSent } = order
    const address = account.address.toLowerCase() as Address
    const blocked: BlockedPayment[] = []
    const sunPerEnergy = await queryTron(nodes, readEnergyPrice)
    for (const planned of payments) {
      // Another account might have made the payment in the meantime.
      const payment = await quote(planned, address)
      const outcome = 'reason' in payment ? payment : await sendOne(payment)
      if ('reason' in outcome) blocked.push(outcome)
      else onSent(outcome)
    }
    return blocked

    async function sendOne(payment: QuotedPayment): Promise<SentBatch | BlockedPayment> {
      const { to, data, gas } = payment
      const feeLimitSun = smaller(gas * sunPerEnergy, getMaxFeeSun(payment))
      try {
        costLimit.consume(feeLimitSun + getBandwidthFee(payment, address))
      } catch (error) {
        if (error instanceof CostLimitError) return { ...payment, reason: error.message }
        throw error
      }
      const sent = await sendTron(nodes, {
        ...{ signer: account, feeLimitSun },
        encode: (frame) => encodeTronCall({ ...frame, to, data, valueSun: 0n }),
        onSigned: ({ txHash }) => onSigned({ txHash: present(txHash), payments: [payment] }),
      })
      const txHash = present(sent.txHash)
      return sent.isSuccess
        ? { txHash, payments: [payment] }
        : { ...payment, reason: `it failed in ${txHash}` }
    }
  }
}

function getBandwidthFee({ to, data }: Payment, owner: Address): bigint {
  return bandwidthFeeSun(bandwidthOfCall({ owner, to, data }), 0n)
}

/** Limits the fee, because a call that ends with the INVALID opcode burns its whole fee limit. */
function getMaxFeeSun({ charge }: Payment): bigint {
  return getDistributionFeeLimitSun({ recipients: charge.split.recipients.length })
}
