import { expect } from 'chai'
import fc from 'fast-check'
import { bumpFees, chooseFees, type GasFees, quoteFees } from '../../../indexer/relayer/gas-fees.ts'
import type { ChainClient } from '../../../shared/chain/nodes/client.ts'
import { createNodeHealth } from '../../../shared/chain/nodes/node-health.ts'

/** Returns bounds that allow a tip as high as the whole fee. */
const boundsOf = (maxFeePerGasWei: bigint) => ({ maxFeePerGasWei, maxTipPerGasWei: maxFeePerGasWei })

const fee = fc.bigInt({ min: 0n, max: 10n ** 13n })

describe('bumpFees', () => {
  it('raises both fees by more than 10 %, as nodes require, or returns null', () => {
    fc.assert(
      fc.property(fee, fee, fee, (base, tip, ceiling) => {
        const paid = { maxFeePerGas: base + tip, maxPriorityFeePerGas: tip }
        const bumped = bumpFees(paid, paid, boundsOf(ceiling))
        if (bumped === null) return
        expect(bumped.maxFeePerGas <= ceiling).to.equal(true)
        expect(bumped.maxPriorityFeePerGas <= bumped.maxFeePerGas).to.equal(true)
        expect(10n * bumped.maxFeePerGas > 11n * paid.maxFeePerGas).to.equal(true)
        expect(10n * bumped.maxPriorityFeePerGas > 11n * paid.maxPriorityFeePerGas).to.equal(true)
      }),
    )
  })

  it('returns the current fees if they are higher than the raised fees', () => {
    const quote = { maxFeePerGas: 900n, maxPriorityFeePerGas: 30n }
    expect(bumpFees({ maxFeePerGas: 80n, maxPriorityFeePerGas: 8n }, quote, boundsOf(1000n))).to.deep.equal(
      quote,
    )
  })

  it('does not replace a stuck transaction if the minimum raise exceeds the ceiling', () => {
    const paid = { maxFeePerGas: 80n, maxPriorityFeePerGas: 8n }
    expect(bumpFees(paid, paid, boundsOf(90n))).to.equal(null)
    expect(bumpFees(paid, paid, boundsOf(91n))).to.deep.equal({
      maxFeePerGas: 91n,
      maxPriorityFeePerGas: 10n,
    })
  })

  it('raises a tip that started at its bound, up to twice the bound', () => {
    const bounds = { maxFeePerGasWei: 1_000_000n, maxTipPerGasWei: 80n }
    const tips: bigint[] = []
    for (let fees: GasFees | null = { maxFeePerGas: 1000n, maxPriorityFeePerGas: 80n }; fees !== null; ) {
      tips.push(fees.maxPriorityFeePerGas)
      fees = bumpFees(fees, fees, bounds)
    }
    expect(tips).to.deep.equal([80n, 91n, 103n, 116n, 131n, 148n])
  })
})

describe('chooseFees', () => {
  const GWEI = 10n ** 9n
  const bounds = { maxFeePerGasWei: 100n * GWEI, maxTipPerGasWei: 3n * GWEI }
  const honest = { baseFee: 10n * GWEI, tip: GWEI }
  const lies = [
    { baseFee: honest.baseFee, tip: 200n * GWEI },
    { baseFee: 10_000n * GWEI, tip: 200n * GWEI },
    { baseFee: 0n, tip: 0n },
  ]

  it('caps the tip of a single node at the bound', () => {
    const [lie = honest] = lies
    expect(chooseFees([lie], bounds)).to.include({ maxPriorityFeePerGas: 3n * GWEI })
  })

  it('pays the honest tip if one of two or three nodes reports a higher tip, in any order', () => {
    for (const lie of lies.slice(0, 2)) {
      for (const prices of [
        [honest, lie],
        [lie, honest],
        [honest, lie, honest],
      ]) {
        expect(chooseFees(prices, bounds).maxPriorityFeePerGas).to.equal(GWEI)
      }
    }
  })

  it('offers at least twice the honest node’s base fee, and at most the ceiling', () => {
    for (const lie of lies) {
      const { maxFeePerGas } = chooseFees([lie, honest], bounds)
      expect(maxFeePerGas >= 20n * GWEI && maxFeePerGas <= bounds.maxFeePerGasWei).to.equal(true)
    }
  })

  it('reports fees as not mineable only if every node’s base fee exceeds the ceiling', () => {
    const dear = { baseFee: 101n * GWEI, tip: GWEI }
    expect(chooseFees([dear, honest], bounds).isMineable).to.equal(true)
    expect(chooseFees([dear, dear], bounds).isMineable).to.equal(false)
  })
})

describe('quoteFees', () => {
  it('uses the nodes that respond, and fails if no node responds', async () => {
    const silent = nodeOf(() => Promise.reject(new Error('timeout')))
    const answering = nodeOf(() => Promise.resolve({ baseFeePerGas: 7n }))
    const bounds = boundsOf(1000n)
    expect(await quoteFees(groupOf(silent, answering), bounds)).to.include({
      maxFeePerGas: 15n,
      maxPriorityFeePerGas: 1n,
    })
    const failure = await quoteFees(groupOf(silent, silent), bounds).catch((error: Error) => error.message)
    expect(failure).to.include('no quorum on the price of gas; responded: none; silent: a')
  })

  function groupOf(...clients: readonly ChainClient[]) {
    const nodes = clients.map((client, at) => ({
      client,
      name: 'ab'[at] ?? '',
      operator: String(at),
      url: '',
    }))
    return { chainId: 1, nodes, quorum: 2, getTrusted: () => null, health: createNodeHealth() }
  }

  function nodeOf(getBlock: () => Promise<unknown>): ChainClient {
    return { getBlock, estimateMaxPriorityFeePerGas: () => Promise.resolve(1n) } as unknown as ChainClient
  }
})
