import { expect } from 'chai'
import { API_SETTINGS } from '../../../shared/runtime/settings.ts'
import { processSettings } from '../../devnet/settings.ts'

describe('the settings of a devnet', () => {
  it('set every rate limit to 100,000 a minute', () => {
    const urls = { owner: '', api: '', daemon: '', ponder: '', operator: '' }
    const { api } = processSettings({ urls, networks: {}, graceSeconds: 5 })
    const limits = Object.keys(API_SETTINGS.properties).filter((name) => name.startsWith('RATE_LIMIT_'))
    expect(limits).to.include('RATE_LIMIT_CHECKS_PER_MINUTE')
    expect(limits.map((name) => [name, api[name]])).to.deep.equal(limits.map((name) => [name, '100000']))
  })
})
