// Every route of the service.
import { mcpRoutes } from './mcp/route.ts';
import type { Route } from './route.ts';
import { analysisDataRoutes } from './routes/analysis-data.ts';
import { analyzeRoutes } from './routes/analyze.ts';
import { clipRoutes } from './routes/clips.ts';
import { documentRoutes } from './routes/document.ts';
import { exportRoutes } from './routes/export.ts';
import { faceRoutes } from './routes/faces.ts';
import { facetRoutes } from './routes/facets.ts';
import { healthRoutes } from './routes/health.ts';
import { libraryRoutes } from './routes/library.ts';
import { linkRoutes } from './routes/links.ts';
import { listRoutes } from './routes/lists.ts';
import { mediaRoutes } from './routes/media.ts';
import { modelPullRoutes } from './routes/model-pull.ts';
import { modelRoutes } from './routes/models.ts';
import { momentRoutes } from './routes/moments.ts';
import { pageRoutes } from './routes/page.ts';
import { proxyRoutes } from './routes/proxies.ts';
import { sceneRoutes } from './routes/scenes.ts';
import { searchRoutes } from './routes/search.ts';
import { seenRoutes } from './routes/seen.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { speakerRoutes } from './routes/speakers.ts';
import { summaryRoutes } from './routes/summaries.ts';
import { taskRoutes } from './routes/tasks.ts';
import { thumbnailRoutes } from './routes/thumbnails.ts';
import { timelineRoutes } from './routes/timeline.ts';
import { transcriptionRoutes } from './routes/transcriptions.ts';
import { watchFolderRoutes } from './routes/watch-folders.ts';
import { writtenRoutes } from './routes/written.ts';

const described: readonly Route[] = [
  ...healthRoutes,
  ...sessionRoutes,
  ...modelRoutes,
  ...modelPullRoutes,
  ...analysisDataRoutes,
  ...analyzeRoutes,
  ...taskRoutes,
  ...mediaRoutes,
  ...linkRoutes,
  ...proxyRoutes,
  ...libraryRoutes,
  ...thumbnailRoutes,
  ...facetRoutes,
  ...sceneRoutes,
  ...seenRoutes,
  ...searchRoutes,
  ...momentRoutes,
  ...transcriptionRoutes,
  ...writtenRoutes,
  ...speakerRoutes,
  ...faceRoutes,
  ...summaryRoutes,
  ...exportRoutes,
  ...clipRoutes,
  ...timelineRoutes,
  ...listRoutes,
  ...watchFolderRoutes,
  ...pageRoutes,
];

export const routes: readonly Route[] = [...described, ...documentRoutes(described), ...mcpRoutes];
