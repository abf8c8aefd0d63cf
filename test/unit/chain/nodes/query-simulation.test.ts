import { expect } from 'chai'
import { BaseError, ContractFunctionRevertedError, toFunctionSelector } from 'viem'
import { createNodeHealth } from '../../../../shared/chain/nodes/node-health.ts'
import { querySimulation } from '../../../../shared/chain/nodes/query-simulation.ts'
import type { SimulatedCall } from '../../../../shared/chain/nodes/simulate.ts'
import type { Address } from '../../../../shared/domain/address.ts'

const TO = `0x${'aa'.repeat(20)}` as Address
const ABI = [
  { type: 'error', name: 'NothingToDistribute', inputs: [] },
  { type: 'error', name: 'AllPayoutsFailed', inputs: [] },
] as const

/**
 * A node’s response: the gas, the name of the error with which the call reverts (`''` if it is unknown), or `null` for
 * silence.
 */
type Fate = number | string | null

describe('querySimulation', () => {
  it('returns the call if one node reports success, regardless of the other nodes', async () => {
    const cases: readonly (readonly Fate[])[] = [
      [100, 'NothingToDistribute'],
      ['NothingToDistribute', 100],
      [null, 100],
      ['NothingToDistribute', 'AllPayoutsFailed', 100],
    ]
    for (const fates of cases) expect(await outcomeOf(fates), JSON.stringify(fates)).to.equal(100n)
  })

  it('throws the revert if a quorum reports the same revert error', async () => {
    expect(await outcomeOf(['NothingToDistribute', 'NothingToDistribute'])).to.equal('NothingToDistribute')
    expect(await outcomeOf(['', '']), 'with an unknown error').to.equal('reverted')
  })

  it('throws NoQuorumError if no node reports success and no quorum reports the same revert error', async () => {
    expect(await outcomeOf(['NothingToDistribute', null])).to.equal('NoQuorumError')
    expect(await outcomeOf(['NothingToDistribute', 'AllPayoutsFailed'])).to.equal('NoQuorumError')
    expect(await outcomeOf([null, null])).to.equal('NoQuorumError')
  })

  it('requires success from a quorum once a broadcast of the call has reverted', async () => {
    const isDoubted = true
    expect(await outcomeOf([100, 'NothingToDistribute'], { isDoubted })).to.equal('NoQuorumError')
    expect(await outcomeOf([100, null], { isDoubted })).to.equal('NoQuorumError')
    expect(await outcomeOf([100, 101], { isDoubted }), 'with the higher gas').to.equal(101n)
    expect(await outcomeOf([100, 'NothingToDistribute', 101], { isDoubted })).to.equal(101n)
  })

  it('accepts gas above our limit only if a quorum reports gas above it', async () => {
    expect(await outcomeOf([5_000, 100])).to.equal(100n)
    expect(await outcomeOf([5_000, null])).to.equal('NoQuorumError')
    expect(await outcomeOf([5_000, 6_000])).to.equal(6_000n)
  })
})

/** Returns the gas or the name of the error, which is `reverted` for an unknown revert. */
async function outcomeOf(fates: readonly Fate[], { isDoubted = false } = {}): Promise<bigint | string> {
  const nodes = fates.map((fate, index) => ({ name: `${index}`, operator: `${index}`, fate }))
  const group = { nodes, quorum: 2, getTrusted: () => null, health: createNodeHealth() }
  try {
    const terms = { maxGas: 1_000n, isDoubted }
    return (await querySimulation(group, { ...terms, simulate: ({ fate }) => simulate(fate) })).gas
  } catch (error) {
    if (error instanceof ContractFunctionRevertedError) return error.data?.errorName ?? 'reverted'
    return (error as Error).name
  }
}

async function simulate(fate: Fate): Promise<SimulatedCall> {
  if (fate === null) throw new BaseError('silent')
  if (typeof fate === 'number') return { to: TO, data: '0x', gas: BigInt(fate) }
  throw new ContractFunctionRevertedError({
    ...{ abi: ABI, functionName: 'distribute' },
    ...(fate === '' ? { message: 'execution reverted' } : { data: toFunctionSelector(`${fate}()`) }),
  })
}
