import { expect } from 'chai'
import { missingForPayoutsSun, payoutCostSun } from '../../../indexer/relayer/tron/watch-tron-balance.ts'
import { CREATE_AND_DISTRIBUTE } from '../../../shared/chain/abi/create-and-distribute.ts'
import { broadcastTron } from '../../../shared/chain/tron/broadcast-tron.ts'
import { readTronFunds } from '../../../shared/chain/tron/read-tron.ts'
import { simulateTron } from '../../../shared/chain/tron/simulate-tron.ts'
import type { TronNode, TronResponse } from '../../../shared/chain/tron/tron-node.ts'
import { parseEvmAddress } from '../../../shared/domain/address.ts'
import {
  bandwidthFeeSun,
  bandwidthOfCall,
  getBandwidth,
} from '../../../shared/domain/chain-families/tron/bandwidth.ts'
import {
  encodeSignedTransaction,
  encodeTronCall,
  type TronCall,
} from '../../../shared/domain/chain-families/tron/raw-transaction.ts'
import { invariant } from '../../../shared/domain/errors.ts'
import { PAYOUT_COSTS } from '../../../shared/domain/gas-bounds.ts'

const ACCOUNT = parseEvmAddress(`0x${'1'.repeat(40)}`)

/** Creates a node that gives the same response to every request, except to `askList`. */
const nodeThatAnswers = (answer: TronResponse): TronNode => ({
  ...{
    name: 'node',
    chainId: 1,
    ask: async () => answer,
    askLong: async () => answer,
    askList: async () => [],
  },
})

describe('resources and costs on TRON', () => {
  invariant(ACCOUNT !== null, 'the text must be an address')
  const account = ACCOUNT
  const call = { to: account, data: '0x12' as const, account }

  describe('the energy of a call', () => {
    const simulate = (answer: TronResponse) =>
      simulateTron(
        nodeThatAnswers({ result: { result: true }, constant_result: [''], logs: [], ...answer }),
        call,
        CREATE_AND_DISTRIBUTE,
      )

    it('includes the energy penalty of a busy contract', async () => {
      const { likelyEnergy, gas } = await simulate({ energy_used: 272_000, energy_penalty: 144_000 })
      expect({ likelyEnergy, gas }).to.deep.equal({ likelyEnergy: 340_000n, gas: 440_000n })
    })
  })

  describe('the bandwidth of a transaction', () => {
    const frame: Omit<TronCall, 'data'> = {
      ...{
        owner: account,
        to: account,
        valueSun: 0n,
        refBlockBytes: '0x0001',
        refBlockHash: '0x0102030405060708',
      },
      ...{ expirationMs: 1_795_000_000_000n, timestampMs: 1_795_000_000_000n, feeLimitSun: 30_000_000n },
    }
    const data = `0x${'12'.repeat(484)}` as const
    const signed = encodeSignedTransaction({
      rawData: encodeTronCall({ ...frame, data }),
      signature: `0x${'ab'.repeat(65)}`,
    })

    it('is its size plus 64 bytes for the call’s result, at most 2 bytes below the bound before signing', () => {
      expect(getBandwidth(signed)).to.equal(BigInt(signed.length / 2 - 1 + 64))
      const most = bandwidthOfCall({ owner: account, to: account, data })
      expect(Number(most - getBandwidth(signed))).to.be.within(0, 2)
    })

    it('is paid in TRX for all bytes or for none', () => {
      expect(bandwidthFeeSun(795n, 600n)).to.equal(795_000n)
      expect(bandwidthFeeSun(795n, 794n)).to.equal(795_000n)
      expect(bandwidthFeeSun(795n, 795n)).to.equal(0n)
    })
  })

  describe('the funds of an account', () => {
    const bandwidth = async (answer: TronResponse) =>
      (await readTronFunds(nodeThatAnswers(answer), account)).bandwidth

    it('include the larger of the two bandwidth quotas, because a transaction uses only one', async () => {
      const free = { freeNetLimit: 600, freeNetUsed: 100 }
      expect(await bandwidth(free)).to.equal(500n)
      expect(await bandwidth({ ...free, NetLimit: 900, NetUsed: 200 })).to.equal(700n)
      expect(await bandwidth({ ...free, NetLimit: 900, NetUsed: 1_000 })).to.equal(500n)
    })

    it('cover a hundred payouts only if they also cover the bandwidth', () => {
      const energy = 70_000_000n
      const missing = (funds: { balanceSun: bigint; bandwidth: bigint }) =>
        missingForPayoutsSun({ energy, ...funds }, 100n)
      expect(missing({ balanceSun: 0n, bandwidth: 600n })).to.equal(120_000_000n)
      expect(missing({ balanceSun: 120_000_000n, bandwidth: 600n })).to.equal(0n)
      expect(missing({ balanceSun: 0n, bandwidth: 60_000n })).to.equal(60_000_000n)
      expect(missing({ balanceSun: 0n, bandwidth: 120_000n })).to.equal(0n)
    })

    it('must include TRX for the energy that the stake does not cover', () => {
      const rich = { bandwidth: 1_000_000n, energy: 69_999_999n, balanceSun: 99n }
      expect(missingForPayoutsSun(rich, 100n)).to.equal(1n)
    })
  })

  it('are up to a dollar below the configured cost of a payout, at 100 sun per energy and $0.30 per TRX', () => {
    const dollars = (Number(payoutCostSun(100n)) / 1e6) * 0.3
    expect(dollars).to.be.within(Number(PAYOUT_COSTS.tron) - 1, Number(PAYOUT_COSTS.tron))
  })

  describe('the response to a broadcast', () => {
    const outcome = async (answer: TronResponse) =>
      (await broadcastTron(nodeThatAnswers(answer), '0x12')).outcome

    it('is “taken” only for SUCCESS, because a duplicate might be a transaction that was rejected', async () => {
      expect(await outcome({ result: true })).to.equal('taken')
      expect(await outcome({ code: 'DUP_TRANSACTION_ERROR' })).to.equal('known')
      expect(await outcome({ code: 'BANDWITH_ERROR' })).to.equal('refused')
      expect(await outcome({ code: 'SERVER_BUSY' })).to.equal('unknown')
    })
  })
})
