import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseAbi } from 'viem'
import { checkAuthorizationDomain } from '../../../shared/chain/eip3009/check-authorization-domain.ts'
import type { ChainNodes } from '../../../shared/chain/nodes/chain-nodes.ts'
import type { Address } from '../../../shared/domain/address.ts'
import {
  type AuthorizationTerms,
  authorizationCall,
  authorizationTypedData,
} from '../../../shared/domain/eip3009/authorization.ts'
import { ACCOUNTS, toSigner } from '../../devnet/accounts.ts'
import { type Anvil, startAnvil } from '../../devnet/anvil.ts'
import { connectWallet, createToken, mintTokens } from '../../devnet/deploy.ts'
import { requireMined } from '../../devnet/require-mined.ts'
import { chainAt } from '../../support/chain-at.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

const CHAIN_ID = 31337
const DOMAIN = { name: 'USD Coin', version: '2' }
const CHARGE = `0x${'c4'.repeat(20)}` as Address

const balanceAbi = parseAbi(['function balanceOf(address) view returns (uint256)'])

describe('a token that payers can sign for', function () {
  this.timeout(120_000)

  let directory: string
  let chain: Anvil
  let node: RpcProxy
  let chainNodes: ChainNodes
  let wallet: ReturnType<typeof connectWallet>
  let usdc: Address
  let plain: Address

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'authorizations-'))
    chain = await startAnvil({ name: 'chain', chainId: CHAIN_ID, directory })
    node = await startRpcProxy(chain.rpcUrl)
    chainNodes = chainAt([node.url])
    wallet = connectWallet(chain)
    const create = async (contract: 'TestUSDC' | 'TestToken') =>
      (await createToken(wallet, { token: 'USDC', contract, decimals: 6 })).toLowerCase() as Address
    usdc = await create('TestUSDC')
    plain = await create('TestToken')
  })

  after(async () => {
    await node.stop()
    await chain.stop()
    await rm(directory, { recursive: true })
  })

  afterEach(() => node.rule(() => 'pass'))

  const check = (token: Address, domain = DOMAIN) =>
    checkAuthorizationDomain(chainNodes, { chainId: CHAIN_ID, token, domain })

  it('matches the domain that its domain separator commits to, and no other name or version', async () => {
    expect(await check(usdc)).to.equal('match')
    expect(await check(usdc, { ...DOMAIN, name: 'USDC' })).to.equal('differ')
    expect(await check(usdc, { ...DOMAIN, version: '1' })).to.equal('differ')
  })

  it('is reported as missing if it has a domain separator but no authorizations', async () => {
    expect(await check(plain)).to.equal('missing')
    node.rule((method, [call]) =>
      method === 'eth_call' && String((call as { data?: string }).data).startsWith('0xe94a0102')
        ? { result: '0x' }
        : 'pass',
    )
    expect(await check(usdc)).to.equal('missing')
  })

  it('is reported as unreachable while no node responds', async () => {
    node.rule((method) => (method === 'eth_call' ? 'error' : 'pass'))
    expect(await check(usdc)).to.equal('unreachable')
  })

  it('is transferred by a wallet’s signature once, no matter who sends the transaction', async () => {
    const payer = toSigner(ACCOUNTS.payer)
    await mintTokens(wallet, { address: usdc, decimals: 6 }, payer.address)
    const { timestamp } = await wallet.getBlock()
    const terms: AuthorizationTerms = {
      ...{ chainId: CHAIN_ID, token: usdc, domain: DOMAIN },
      authorization: {
        from: payer.address.toLowerCase() as Address,
        to: CHARGE,
        value: 10_000_000n,
        validAfter: 0n,
        validBefore: timestamp + 300n,
        nonce: `0x${'01'.repeat(32)}`,
      },
    }
    // The typed data as a wallet receives it, after a conversion to JSON and back.
    const typedData = JSON.parse(JSON.stringify(authorizationTypedData(terms)))
    const signature = await payer.signTypedData(typedData)
    const call = authorizationCall(usdc, { ...terms.authorization, signature })
    await requireMined(wallet, await wallet.sendTransaction(call))
    const balance = { address: usdc, abi: balanceAbi, functionName: 'balanceOf', args: [CHARGE] } as const
    expect(await wallet.readContract(balance)).to.equal(10_000_000n)
    const second = await wallet.estimateGas(call).catch((error: Error) => error.message)
    expect(second).to.include('authorization is used or canceled')
  })
})
