// What the index answers about voices.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import type { Folders } from '../folders.ts';
import type { OpenLoads } from '../open-loads.ts';
import type { Store } from '../store/store.ts';
import type { Linked } from '../store/transcripts.ts';
import type { TranscriptIndex } from '../transcripts/transcript-index.ts';
import type { voiceMessages } from './contract.ts';
import { VoiceSearch } from './search.ts';

export interface VoiceParts {
  readonly folders: Folders;
  readonly transcripts: TranscriptIndex;
  readonly voiceSearches: OpenLoads<VoiceSearch>;
}

export function voiceHandlers({
  folders,
  transcripts: index,
  voiceSearches,
}: VoiceParts): Handlers<Contract<typeof voiceMessages>> {
  return {
    suggest_speakers: ({ cache_dir, load = null, limit, ...voice }) =>
      folders.with(cache_dir, (store) => {
        store.requireReadable();
        const goesOn = ({ folder, identity }: VoiceSearch) =>
          folder === store.folder && identity === store.identity;
        const begin = () => new VoiceSearch(store, voice, limit);
        const [number, search] = voiceSearches.resume(load, goesOn, begin);
        let done = true;
        try {
          done = search.step(store);
        } finally {
          if (done) voiceSearches.end(number);
        }
        const suggestions = done ? search.suggestions(store) : [];
        return { done, load: number, model: search.model, suggestions };
      }),
    link_speakers: ({ cache_dir, ...said }) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return told(store, store.transcripts.link(said));
      }),
    take_back_speakers: ({ cache_dir }) =>
      folders.with(cache_dir, (store) => {
        store.requireFolder();
        return told(store, store.transcripts.takeBack());
      }),
  };

  function told(store: Store, { voices, changed }: Linked) {
    for (const hash of changed) index.changed(store, hash);
    return { voices: voices.map(({ name: speaker_name, ...one }) => ({ ...one, speaker_name })) };
  }
}
