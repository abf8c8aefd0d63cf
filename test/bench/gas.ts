import { type Hex, parseAbi } from 'viem'
import type { Address } from '../../shared/domain/address.ts'
import type { Split } from '../../shared/domain/allocation.ts'
import { encodeDistribution } from '../../shared/domain/distribution-call.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../shared/domain/split-address.ts'
import { ACCOUNTS, signerOf } from '../devnet/accounts.ts'
import { requireMined } from '../devnet/require-mined.ts'
import { addressOf, startChain, type TestChain } from '../support/payout-stage.ts'
import type { Comparison } from './compare.ts'

/**
 * What one transaction that deploys a split and distributes may cost, by the number of its recipients; and what 0xSplits
 * v2.2 Push takes for the same.
 *
 * Measured on 2026-11-20 with USDC's restrictions, everyone having held the token before.
 */
const REFERENCES = [
  { recipients: 2, gas: 143_734, zeroXSplits: 213_940 },
  { recipients: 3, gas: 158_844, zeroXSplits: 229_766 },
  { recipients: 7, gas: 219_272, zeroXSplits: 293_011 },
] as const

const KEEPER = addressOf(ACCOUNTS.keeper.address)

/** Measures the gas of a payout, as a transaction on a chain of its own. */
export async function benchGas(): Promise<readonly Comparison[]> {
  const chain = await startChain()
  try {
    const found: Comparison[] = []
    for (const reference of REFERENCES) {
      const ours = await measure(chain, reference.recipients)
      const name = `a payout to ${reference.recipients} recipients (0xSplits Push: ${reference.zeroXSplits})`
      found.push({ name, unit: 'gas', aim: 1, ratio: ours / reference.gas, ours, yardstick: reference.gas })
    }
    return found
  } finally {
    await chain.stop()
  }
}

async function measure(chain: TestChain, count: number): Promise<number> {
  const salt = chargeSalt(`ch_bench_${count}`)
  const split = splitAmong(count)
  const address = predictSplitAddress({
    ...{ factory: SPLIT_FACTORY, implementation: SPLIT_IMPLEMENTATION },
    ...{ split, salt },
  })
  for (const account of [...split.recipients, KEEPER]) await mint(chain, { account, amount: 5_000_000n })
  await mint(chain, { account: address, amount: 100_000_000n })
  const data = encodeDistribution({ split, salt, token: chain.token, distributor: KEEPER })
  return send(chain, { to: SPLIT_FACTORY, data })
}

function splitAmong(count: number): Split {
  const others = count - 1
  return {
    recipients: Array.from({ length: count }, (_, index) => freshAddress(`${count}/${index}`)),
    allocations: [1_000_000 - 9009 * others, ...Array.from({ length: others }, () => 9009)],
    totalAllocation: 1_000_000,
    distributionIncentive: 1000,
  }
}

function freshAddress(seed: string): Address {
  return addressOf(`0x${chargeSalt(seed).slice(-40)}`)
}

async function mint(
  { wallet, node, token }: TestChain,
  { account, amount }: { readonly account: Address; readonly amount: bigint },
): Promise<void> {
  const hash = await wallet.writeContract({
    account: signerOf(ACCOUNTS.payer),
    address: token,
    abi: parseAbi(['function mint(address account, uint256 amount)']),
    functionName: 'mint',
    args: [account, amount],
  })
  await requireMined(node, hash)
}

async function send(
  { wallet, node }: TestChain,
  call: { readonly to: Address; readonly data: Hex },
): Promise<number> {
  const hash = await wallet.sendTransaction({ ...call, account: signerOf(ACCOUNTS.keeper) })
  const { gasUsed } = await requireMined(node, hash)
  return Number(gasUsed)
}
