import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { zeroHash } from 'viem'
import { checkContracts } from '../../../shared/chain/contracts/check-contracts.ts'
import { deployFactory } from '../../../shared/chain/contracts/deploy-factory.ts'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import { waitForReceipt } from '../../../shared/chain/nodes/wait-for-receipt.ts'
import { ACCOUNTS, toSigner } from '../../devnet/accounts.ts'
import { type Anvil, startAnvil } from '../../devnet/anvil.ts'
import { chainAt } from '../../support/chain-at.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'

/** Runs on a chain that mines one block per transaction and no other blocks. */
describe('waiting for a receipt', function () {
  this.timeout(240_000)

  let directory: string
  let chain: Anvil
  let node: RpcProxy

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'receipts-'))
    chain = await startAnvil({ name: 'chain', chainId: 31337, directory })
    node = await startRpcProxy(chain.rpcUrl)
  })

  afterEach(async () => {
    await node.stop()
    await chain.stop()
    await rm(directory, { recursive: true })
  })

  it('finds a receipt that the node serves only some time after its block, even if no other block follows', async () => {
    let asked = 0
    node.rule((method) => {
      if (method !== 'eth_getTransactionReceipt') return 'pass'
      asked += 1
      return asked <= 3 ? { result: null } : 'pass'
    })
    const client = connect()
    await deployFactory(client, toSigner(ACCOUNTS.deployer))
    expect(asked).to.equal(4)
    expect(await checkContracts(chainAt([node.url]), { family: 'evm' })).to.equal('match')
  })

  it('tolerates a node that fails temporarily', async () => {
    let asked = 0
    node.rule((method) => {
      if (method !== 'eth_getTransactionReceipt') return 'pass'
      asked += 1
      // The client itself queries a node twice.
      return asked <= 2 ? 'error' : 'pass'
    })
    await deployFactory(connect(), toSigner(ACCOUNTS.deployer))
    expect(asked).to.equal(3)
  })

  it('fails after the timeout if there is no receipt, and names the transaction', async () => {
    const waiting = waitForReceipt(connect(), zeroHash, { timeoutMs: 100, intervalMs: 20 })
    const error: unknown = await waiting.catch((reason: unknown) => reason)
    expect(error)
      .to.have.property('message')
      .that.includes(`transaction ${zeroHash} has no receipt after 100 ms`)
  })

  function connect() {
    return createChainClient({ chainId: 31337, rpcUrls: [node.url] })
  }
})
