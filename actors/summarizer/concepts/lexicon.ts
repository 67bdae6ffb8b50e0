// What a picture may show, in words for the text side of a visual model: some 400 concepts in groups. Data,
// pure.

export interface Group {
  /** Of a group whose concepts exclude each other at most one may be said of a range. */
  readonly excludes: boolean;
  /** Phrases for the model; `*` stands for the concept. */
  readonly phrases: readonly string[];
  /** As they stand in a sentence, divided by `|`. */
  readonly concepts: string;
}

const photo = ['a photo of *', 'a film still that shows *'];

export const groups = {
  shot_size: {
    excludes: true,
    phrases: ['*', 'a film still, *'],
    concepts:
      'an extreme close-up|a close-up of a face|a close-up of hands|a close-up of an object|a medium shot of one person|a shot of two people|a group shot|a wide shot|a very wide landscape shot|an aerial shot|a shot from above|a shot from below|a shot over the shoulder|a macro shot|an underwater shot|a split screen',
  },
  time_of_day: {
    excludes: true,
    phrases: ['a photo taken *', 'an outdoor scene *'],
    concepts: 'at dawn|at sunrise|by day|at noon|at sunset|at dusk|at night',
  },
  weather: {
    excludes: false,
    phrases: ['a photo with *', 'an outdoor scene with *'],
    concepts:
      'a clear blue sky|white clouds|a grey overcast sky|rain|heavy rain|snowfall|snow on the ground|fog|haze|a thunderstorm|lightning|a rainbow|strong wind|ice and frost|dust in the air',
  },
  light: {
    excludes: false,
    phrases: ['a photo with *', 'a film still with *'],
    concepts:
      'bright light|dim light|backlight|a silhouette against the light|candlelight|neon light|stage lights|a spotlight|sunbeams|lens flare|hard shadows|soft light|firelight|fireworks|city lights|moonlight|flashing lights|almost complete darkness',
  },
  colour: {
    excludes: false,
    phrases: ['a picture that is *', 'a film still that is *'],
    concepts:
      'black and white|mostly red|mostly orange|mostly yellow|mostly green|mostly blue|mostly purple|mostly brown|mostly white|mostly black|in pastel colours|in strong colours|faded like an old film|tinted sepia',
  },
  nature: {
    excludes: false,
    phrases: photo,
    concepts:
      'a beach|the sea|waves|a rocky coast|a cliff|an island|a lake|a river|a stream|a waterfall|a swamp|a forest|a jungle|a pine wood|a meadow|a field of grain|a vineyard|an orchard|a desert|sand dunes|hills|mountains|a snowy mountain|a glacier|a valley|a canyon|a cave|a volcano|a coral reef|the open sky|stars|the moon|trees in autumn|palm trees|a bamboo grove|flowers|a garden|a park|a field of flowers|mushrooms|leaves|grass|rocks|mud|a puddle|icicles',
  },
  outdoors: {
    excludes: false,
    phrases: photo,
    concepts:
      'a city skyline|skyscrapers|a city street|a narrow alley|a market|a shopping street|a village|a farm|a barn|a castle|ruins|a church|a mosque|a temple|a cemetery|a bridge|a tunnel|a motorway|a country road|a crossing|a car park|a petrol station|a railway station|railway tracks|a harbour|a pier|a lighthouse|an airport|a runway|a stadium|a football pitch|a playground|a swimming pool|a campsite|a construction site|a factory|a power station|wind turbines|a dam|a mine|a rubbish dump|a fountain|a monument|a staircase|a balcony|a rooftop|a courtyard|a fence|a gate|a graffiti wall',
  },
  indoors: {
    excludes: false,
    phrases: photo,
    concepts:
      'a kitchen|a living room|a bedroom|a bathroom|a dining room|a hallway|an office|a meeting room|a classroom|a lecture hall|a library|a museum|an art gallery|a theatre|a cinema|a concert hall|a stage|a television studio|a recording studio|a restaurant|a café|a bar|a nightclub|a hotel lobby|a shop|a supermarket|a warehouse|a workshop|a garage|a laboratory|a hospital room|an operating theatre|a gym|a courtroom|a prison cell|a church interior|a lift|the inside of a car|the inside of a bus|the inside of a train|the inside of an aeroplane|a cockpit|a control room|a server room|a cellar|an attic|a greenhouse|a stable|a tent',
  },
  people: {
    excludes: false,
    phrases: photo,
    concepts:
      'one person|two people|a small group of people|a large crowd|nobody in an empty room|a woman|a man|a child|a baby|a teenager|an old person|a couple|a family|a bride|a soldier|a police officer|a firefighter|a doctor|a nurse|a cook|a waiter|a farmer|a worker with a helmet|a scientist|a teacher|a musician|a singer|a dancer|an actor in costume|an athlete|a journalist with a microphone|a person in a suit|a person with glasses|a person with a hat|a person with a mask|an audience',
  },
  actions: {
    excludes: false,
    phrases: ['a photo of people *', 'a film still of somebody *'],
    concepts:
      'talking to each other|speaking into a camera|being interviewed|giving a speech|listening|laughing|smiling|crying|shouting|whispering|kissing|hugging|shaking hands|waving|pointing|clapping|cheering|dancing|singing|playing music|walking|running|jumping|climbing|falling|sitting at a table|lying in bed|sleeping|eating|drinking|cooking|cutting food|washing up|cleaning|reading|writing|drawing|painting|typing on a computer|using a phone|taking a photo|working with tools|building something|repairing a machine|carrying something|digging|planting|harvesting|fishing|hunting|swimming|diving|surfing|sailing|rowing|skiing|skating|cycling|riding a horse|driving a car|playing football|playing basketball|playing tennis|boxing|fighting|shooting|marching|protesting|praying|getting married|giving birth|shopping|paying|waiting|opening a door|playing cards|playing chess|playing a video game|doing an experiment|operating on a patient',
  },
  animals: {
    excludes: false,
    phrases: photo,
    concepts:
      'a dog|a cat|a horse|a cow|sheep|a goat|a pig|chickens|ducks|a bird in flight|an eagle|an owl|a parrot|a penguin|fish|a shark|a whale|a dolphin|a turtle|a snake|a lizard|a frog|a spider|a butterfly|bees|ants|a deer|a fox|a wolf|a bear|a lion|a tiger|an elephant|a giraffe|a monkey|a rabbit|a mouse|a squirrel|a camel|a seal',
  },
  vehicles: {
    excludes: false,
    phrases: photo,
    concepts:
      'a car|a red car|a sports car|an old car|a lorry|a bus|a taxi|a police car|an ambulance|a fire engine|a motorcycle|a bicycle|a tram|a train|a steam engine|an aeroplane|a helicopter|a hot-air balloon|a drone|a rocket|a sailing boat|a rowing boat|a motor boat|a ferry|a cargo ship|a warship|a submarine|a tank|a tractor|an excavator|a crane|a cable car|a car crash|a traffic jam',
  },
  objects: {
    excludes: false,
    phrases: photo,
    concepts:
      'a table with food|bread|fruit|vegetables|meat on a grill|a cake|a cup of coffee|a glass of wine|bottles|a book|a newspaper|a map|a letter|a printed page|a blackboard|a whiteboard|a screen with a chart|a computer screen|a telephone|a television|a camera|a microphone|a guitar|a piano|a violin|drums|a clock|a lamp|a candle|a mirror|a window|a door|a chair|a bed|a sofa|a painting|a statue|a flag|a sign with text|a poster|a toy|a ball|a knife|a gun|money|jewellery|clothes|shoes|a bag|tools|a machine|pipes and cables|a robot|a microscope|medicine|flames|smoke|an explosion|broken glass|ruined furniture|a campfire',
  },
  graphics: {
    excludes: false,
    phrases: ['*', 'a film still that shows *'],
    concepts:
      'a title card|rolling credits|a logo|subtitles burnt into the picture|a cartoon|a computer animation|a diagram|a screen recording|a video game|a test card|a black picture|a white picture|an old photograph|a collage',
  },
} as const satisfies Readonly<Record<string, Group>>;
export type GroupName = keyof typeof groups;

export interface Concept {
  /** As it stands in a sentence: `a beach`, `at night`. */
  readonly name: string;
  readonly group: GroupName;
  readonly excludes: boolean;
  /** For the text side of a model; its vector is the mean of theirs, L2-normalised. */
  readonly phrases: readonly string[];
}

export const lexicon: readonly Concept[] = (Object.entries(groups) as [GroupName, Group][]).flatMap(
  ([group, { excludes, phrases, concepts }]) =>
    concepts.split('|').map((name) => ({
      name,
      group,
      excludes,
      phrases: phrases.map((phrase) => phrase.replace('*', name)),
    })),
);
