import { rm } from 'node:fs/promises'
import { expect } from 'chai'
import {
  type Address,
  formatEther,
  hexToBigInt,
  isAddressEqual,
  parseUnits,
  type TransactionReceipt,
  zeroAddress,
} from 'viem'

import { isInBloom } from '../../../indexer/transport/bloom.ts'
import { checkAuthorizationDomain } from '../../../shared/chain/eip3009/check-authorization-domain.ts'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import { readBalances } from '../../../shared/chain/tokens/read-balances.ts'
import type { Address as OurAddress } from '../../../shared/domain/address.ts'
import { authorizationSeparator } from '../../../shared/domain/eip3009/authorization.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import type { Anvil } from '../../devnet/anvil.ts'
import { ARC_USDC } from '../../devnet/arc/addresses.ts'
import { type ArcWallet, arcUsdcAbi, createArcWallet } from '../../devnet/arc/arc-wallet.ts'
import { startArc } from '../../devnet/arc/start-arc.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { chainAt } from '../../support/chain-at.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const EMITTER: Address = '0xffffFFFfFFffffffffffffffFfFFFfffFFFfFFfE'
const DOLLAR_WEI = parseUnits('1', 18)
const DOLLAR_UNITS = parseUnits('1', 6)

describe('the local Arc chain', function () {
  this.timeout(240_000)

  let directory: string
  let arc: Anvil
  let payer: ArcWallet
  let payer2: ArcWallet

  before(async () => {
    directory = await temporaryDirectory('arc')
    arc = await startArc({ name: 'arc', chainId: 5042, blockMs: 100, directory })
    payer = createArcWallet(arc, ACCOUNTS.payer)
    payer2 = createArcWallet(arc, ACCOUNTS.payer2)
  })

  after(async () => {
    await arc?.stop()
    await rm(directory, { recursive: true })
  })

  it('logs a native transfer once, with 18 decimals', async () => {
    const to = somebody(1)
    const logs = movements(await payer.sendNative(to, 3n * DOLLAR_WEI + 1n), to)
    expect(logs).to.deep.equal([
      { emitter: 'system', from: ACCOUNTS.payer.address, amount: 3n * DOLLAR_WEI + 1n },
    ])
  })

  it('logs an ERC-20 transfer twice, once with 18 decimals and once with 6', async () => {
    const to = somebody(2)
    const logs = movements(await payer.sendToken(to, 5n * DOLLAR_UNITS), to)
    expect(logs).to.have.deep.members([
      { emitter: 'system', from: ACCOUNTS.payer.address, amount: 5n * DOLLAR_WEI },
      { emitter: 'token', from: ACCOUNTS.payer.address, amount: 5n * DOLLAR_UNITS },
    ])
    expect(await payer.client.getBalance({ address: to })).to.equal(5n * DOLLAR_WEI)
    expect(await tokenBalance(to)).to.equal(5n * DOLLAR_UNITS)
  })

  it('logs a transfer by authorization, whose signing domain is the same as on the real Arc', async () => {
    const to = somebody(10)
    const receipt = await payer.sendSigned(ACCOUNTS.payer2, to, 4n * DOLLAR_UNITS)
    expect(movements(receipt, to)).to.have.deep.members([
      { emitter: 'system', from: ACCOUNTS.payer2.address, amount: 4n * DOLLAR_WEI },
      { emitter: 'token', from: ACCOUNTS.payer2.address, amount: 4n * DOLLAR_UNITS },
    ])
    const domain =
      REGISTRY.arc.live?.tokens.USDC?.authorization ??
      expect.fail('the registry has no signing domain of USDC on Arc')
    const terms = { chainId: 5042, token: ARC_USDC as OurAddress, domain }
    expect(authorizationSeparator(terms).slice(0, 10)).to.equal('0x94050692')
    expect(await checkAuthorizationDomain(chainAt([arc.rpcUrl], { chainId: 5042 }), terms)).to.equal('match')
  })

  it('adds up fractions of a token unit, and rounds token balances down', async () => {
    const to = somebody(3)
    const dust = 600_000_000_000n
    await payer.sendNative(to, dust)
    expect(await tokenBalance(to)).to.equal(0n)
    await payer.sendNative(to, dust)
    expect(await tokenBalance(to)).to.equal(1n)
    expect(await payer.client.getBalance({ address: to })).to.equal(2n * dust)
  })

  it('logs transfers by contracts, and mints', async () => {
    const to = somebody(4)
    const passed = movements(await payer.sendThroughContract(to, DOLLAR_WEI), to)
    expect(passed.map(({ emitter, amount }) => ({ emitter, amount }))).to.deep.equal([
      { emitter: 'system', amount: DOLLAR_WEI },
    ])
    const minted = movements(await payer.mint(to, DOLLAR_UNITS), to)
    expect(minted).to.have.deep.members([
      { emitter: 'system', from: zeroAddress, amount: DOLLAR_WEI },
      { emitter: 'token', from: zeroAddress, amount: DOLLAR_UNITS },
    ])
  })

  it('logs nothing for a reverted call frame', async () => {
    const to = somebody(5)
    expect(movements(await payer.sendInRevertedFrame(to, DOLLAR_WEI), to)).to.deep.equal([])
    expect(await payer.client.getBalance({ address: to })).to.equal(0n)
  })

  it('rejects native and token transfers from a blacklisted account, and native transfers to it', async () => {
    const to = somebody(6)
    await payer.setBlacklisted(ACCOUNTS.payer2.address, true)
    try {
      expect(
        await payer.client.readContract({
          address: ARC_USDC,
          abi: arcUsdcAbi,
          functionName: 'isBlacklisted',
          args: [ACCOUNTS.payer2.address],
        }),
      ).to.equal(true)
      for (const attempt of [
        () => payer2.sendNative(to, 1n),
        () => payer2.sendToken(to, 1n),
        () => payer.sendNative(ACCOUNTS.payer2.address, 1n),
      ])
        expect(await failureOf(attempt)).to.match(/blocklisted|reverted/i)
    } finally {
      await payer.setBlacklisted(ACCOUNTS.payer2.address, false)
    }
    expect(await payer.client.getBalance({ address: to })).to.equal(0n)
    expect(movements(await payer2.sendNative(to, 1n), to)).to.have.length(1)
  })

  it('rejects native transfers to the zero address and to precompiles', async () => {
    for (const to of [
      zeroAddress,
      '0x1800000000000000000000000000000000000000',
      '0x0000000000000000000000000000000000000002',
    ] as const)
      expect(await failureOf(() => payer.sendNative(to, 1n)), to).to.match(/value to/)
  })

  it('charges at least 20 gwei per gas in the native coin, without a log', async () => {
    const before = await payer2.client.getBalance({ address: ACCOUNTS.payer2.address })
    const receipt = await payer2.sendNative(somebody(7), 1n)
    const paid = before - 1n - (await payer2.client.getBalance({ address: ACCOUNTS.payer2.address }))
    expect(receipt.logs).to.have.length(1)
    expect(paid).to.equal(receipt.gasUsed * receipt.effectiveGasPrice)
    expect(receipt.effectiveGasPrice >= 20_000_000_000n).to.equal(true)
    expect(formatEther(paid)).to.equal('0.00042')
  })

  it('returns consistent logs, receipts and blooms', async () => {
    const receipt = await payer.sendToken(somebody(8), 1n)
    const { blockHash, blockNumber } = receipt
    const block = await payer.client.getBlock({ blockHash })
    const byHash = await payer.client.getLogs({ blockHash })
    expect(
      byHash.filter(({ transactionHash }) => transactionHash === receipt.transactionHash),
    ).to.have.length(receipt.logs.length)
    expect(await payer.client.getLogs({ fromBlock: blockNumber, toBlock: blockNumber })).to.deep.equal(byHash)
    for (const { address, topics } of receipt.logs)
      for (const value of [address, ...topics]) expect(isInBloom(block.logsBloom, value)).to.equal(true)
    expect(isInBloom(block.logsBloom, somebody(99))).to.equal(false)
  })

  it('returns the balances at an old block through Multicall3', async () => {
    const to = somebody(9)
    const first = await payer.sendToken(to, 7n)
    await payer.sendToken(to, 1n)
    const client = createChainClient({ chainId: 5042, rpcUrls: [arc.rpcUrl] })
    const places = [{ tokenAddress: ARC_USDC as OurAddress, account: to.toLowerCase() as OurAddress }]
    expect(await readBalances(client, { places, block: Number(first.blockNumber) })).to.deep.equal([7n])
    expect(await readBalances(client, { places, block: Number(first.blockNumber) - 1 })).to.deep.equal([0n])
  })

  it('mines several blocks with the same timestamp, but no block with a timestamp before its parent’s', async () => {
    const times = await waitFor(
      async () => {
        const number = Number(await payer.client.getBlockNumber())
        if (number < 12) return null
        const numbers = Array.from({ length: 12 }, (_, index) => BigInt(number - index))
        const blocks = await Promise.all(numbers.map((blockNumber) => payer.client.getBlock({ blockNumber })))
        return blocks.map(({ timestamp }) => Number(timestamp)).toReversed()
      },
      { what: 'a dozen blocks', timeoutMs: 60_000 },
    )
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b))
    expect(new Set(times).size).to.be.below(times.length)
  })

  it('does not respond to a request for the logs of more than 10,000 blocks', async () => {
    const answer = fetch(arc.rpcUrl, {
      method: 'POST',
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'eth_getLogs',
        params: [{ fromBlock: '0x0', toBlock: '0x2711' }],
      }),
      signal: AbortSignal.timeout(500),
    })
    expect(await failureOf(() => answer)).to.match(/timeout/)
  })

  async function tokenBalance(account: Address): Promise<bigint> {
    return payer.client.readContract({
      address: ARC_USDC,
      abi: arcUsdcAbi,
      functionName: 'balanceOf',
      args: [account],
    })
  }
})

function somebody(number: number): Address {
  return `0x00000000000000000000000000000000a11ce${String(number).padStart(3, '0')}`
}

/** Returns the transfers to an address that the transaction's logs show. */
function movements({ logs }: TransactionReceipt, to: Address) {
  return logs
    .filter(({ topics }) => topics.length === 3 && isAddressEqual(addressIn(topics[2]), to))
    .map(({ address, topics, data }) => ({
      emitter: isAddressEqual(address, EMITTER)
        ? 'system'
        : isAddressEqual(address, ARC_USDC)
          ? 'token'
          : address,
      from: addressIn(topics[1]) === zeroAddress ? zeroAddress : nameOf(addressIn(topics[1])),
      amount: hexToBigInt(data),
    }))
}

function addressIn(topic = '0x'): Address {
  return `0x${topic.slice(-40)}`
}

function nameOf(address: Address): Address {
  return (
    Object.values(ACCOUNTS).find((account) => isAddressEqual(account.address, address))?.address ?? address
  )
}

async function failureOf(attempt: () => Promise<unknown>): Promise<string> {
  return attempt().then(
    () => 'no failure',
    (error: unknown) => String(error),
  )
}
