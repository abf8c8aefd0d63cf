import { html } from '../../shared/runtime/html.ts'
import { renderFrame } from './frame.ts'
import type { Phrase } from './languages.ts'
import { renderNote, renderState } from './render-state.ts'
import type { Translator } from './translate.ts'

const CALM = { tone: 'calm', icon: 'info' } as const
const WARNING = { tone: 'warn', icon: 'warn' } as const

/** Renders the page for an error status. The page does not contain the requested URL. */
export function renderFailure(
  status: number,
  { words, script }: { readonly words: Translator; readonly script: string | null },
): string {
  const isNowhere = status === 404
  const title: Phrase = isNowhere ? 'title.notFound' : status === 429 ? 'title.tooMany' : 'title.failed'
  const text: Phrase = isNowhere ? 'failure.link' : 'failure.wait'
  return renderFrame({
    ...{ words, script },
    title: words.plain(title),
    main: html`${renderState({ ...(isNowhere ? CALM : WARNING), title: words.plain(title), text: html`<p>${words.say(text)}</p>` })}
${renderNote(words.say('failure.sent'))}`,
    refreshSeconds: isNowhere ? null : 30,
  })
}
